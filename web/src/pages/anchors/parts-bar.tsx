import { useId } from 'preact/hooks';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './parts-bar.module.css';
import { partNames, type ScoreParts } from './score-parts.js';

interface Explained {
  outcomes: number;
  filled: number;
  quotedOutcomes: number;
  p50SettleSeconds: number | null;
  speedTargetSeconds?: number;
}

const texts: Record<keyof ScoreParts, { name: TextKey; about: TextKey }> = {
  failures: { name: 'anchors.partFailures', about: 'anchors.partFailuresAbout' },
  doubt: { name: 'anchors.partDoubt', about: 'anchors.partDoubtAbout' },
  shortfall: { name: 'anchors.partShortfall', about: 'anchors.partShortfallAbout' },
  time: { name: 'anchors.partTime', about: 'anchors.partTimeAbout' },
};

/** How the 100 points divide into the score and the points that each factor of the formula took, as a bar and as a table. */
export function PartsBar(props: { score: string; parts: ScoreParts; record: Explained }) {
  const { score, parts, record } = props;
  const { t, formats } = useLanguage();
  const patterns = useId();
  const points = (value: number) =>
    formats.number(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  let left = Number(score);
  const segments = partNames.map((name) => {
    const segment = { name, left, width: parts[name] };
    left += parts[name];
    return segment;
  });
  const { speedTargetSeconds: target } = record;
  const aboutOf = (name: keyof ScoreParts) => {
    if (name === 'time' && record.p50SettleSeconds === null) return 'anchors.partTimeUnknown';
    // Several corridors have no common target time.
    return name === 'time' && target === undefined ? 'anchors.partTimeAboutAll' : texts[name].about;
  };
  const values = {
    unpaid: record.outcomes - record.filled,
    outcomes: record.outcomes,
    quoted: record.quotedOutcomes,
    time: formats.duration(record.p50SettleSeconds ?? 0),
    target: formats.duration(target ?? 0),
  };
  return (
    <div class={styles.parts}>
      <h3>{t('anchors.parts')}</h3>
      <svg class={styles.bar} aria-hidden="true">
        <Patterns id={patterns} />
        <rect class={styles.score} width={`${score}%`} height="100%" />
        {segments.map(({ name, left, width }) => (
          <rect
            key={name}
            class={styles.part}
            x={`${left}%`}
            width={`${width}%`}
            height="100%"
            fill={`url(#${patterns}-${name})`}
          />
        ))}
      </svg>
      <table class={styles.table}>
        <caption class="visually-hidden">{t('anchors.parts')}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{t('anchors.part')}</th>
            <th scope="col">{t('anchors.points')}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">
              <div class={styles.name}>
                <Swatch className={styles.score} />
                {t('anchors.score')}
              </div>
            </th>
            <td>{formats.number(score, { minimumFractionDigits: 2 })}</td>
          </tr>
          {partNames.map((name) => (
            <tr key={name}>
              <th scope="row">
                <div class={styles.name}>
                  <Swatch fill={`url(#${patterns}-${name})`} />
                  <span>
                    {t(texts[name].name)} <span class={styles.about}>{t(aboutOf(name), values)}</span>
                  </span>
                </div>
              </th>
              <td>−{points(parts[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Swatch(props: { className?: string | undefined; fill?: string }) {
  return (
    <svg class={styles.swatch} aria-hidden="true">
      <rect class={props.className} width="100%" height="100%" {...(props.fill && { fill: props.fill })} />
    </svg>
  );
}

/** One pattern per factor, so that the segments can be distinguished without colour. */
function Patterns({ id }: { id: string }) {
  return (
    <defs>
      {partNames.map((name) => (
        <pattern key={name} id={`${id}-${name}`} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect class={`${styles.ground} ${styles[name]}`} width="6" height="6" />
          <path class={`${styles.lines} ${styles[name]}`} d={lines[name]} />
        </pattern>
      ))}
    </defs>
  );
}

const lines: Record<keyof ScoreParts, string> = {
  failures: 'M -1 7 L 7 -1 M -1 1 L 1 -1 M 5 7 L 7 5',
  doubt: 'M 3 2.5 V 3.5',
  shortfall: 'M 0 3 H 6',
  time: 'M 3 0 V 6',
};
