import { placeOnScale } from '../figures/wilson.js';
import { useLanguage } from '../i18n/language.js';
import styles from './interval-mark.module.css';

/**
 * A share and its uncertainty: a bar over the interval, with a dot on the share. An arrow at the left end means that the
 * interval reaches below the scale. `label` says the same in words; fractions are from 0 to 1.
 */
export function IntervalMark(props: {
  low: number;
  high: number;
  point: number;
  label: string;
  /** Where the scale begins; marks that are to be compared use the same value. */
  min?: number;
}) {
  const { low, high, point, label, min = 0 } = props;
  const left = placeOnScale(low, min);
  return (
    <svg class={styles.mark} role="img" aria-label={label}>
      <title>{label}</title>
      {[0, 50, 100].map((at) => (
        <line key={at} class={styles.tick} x1={`${at}%`} x2={`${at}%`} y1="15%" y2="85%" />
      ))}
      <line class={styles.track} x1="0" x2="100%" y1="50%" y2="50%" />
      <rect
        class={styles.band}
        x={`${left}%`}
        width={`${placeOnScale(high, min) - left}%`}
        y="25%"
        height="50%"
        rx="4"
      />
      {low < min && <path class={styles.below} d="M 1 5 L -6 10 L 1 15 Z" />}
      {point >= min && <circle class={styles.point} cx={`${placeOnScale(point, min)}%`} cy="50%" r="5" />}
    </svg>
  );
}

/** The ends and the middle of the scale of the marks above or below it. */
export function IntervalScale({ min = 0 }: { min?: number }) {
  const { formats } = useLanguage();
  return (
    <div class={styles.scale} aria-hidden="true">
      {[min, (min + 1) / 2, 1].map((share) => (
        <span key={share}>{formats.number(share, { style: 'percent' })}</span>
      ))}
    </div>
  );
}
