import { useId } from 'preact/hooks';
import styles from './choice.module.css';

/** One of a few, all of them seen; the arrow keys move between them. */
export function Choice<T extends string>(props: {
  legend: string;
  options: readonly { value: T; label: string; title?: string }[];
  value: T;
  onChoose: (value: T) => void;
  /** Whether the legend is for screen readers alone. */
  isLegendHidden?: boolean;
}) {
  const { legend, options, value, onChoose, isLegendHidden = false } = props;
  const name = useId();
  return (
    <fieldset class={styles.choice}>
      <legend class={isLegendHidden ? 'visually-hidden' : undefined}>{legend}</legend>
      <div class={styles.options}>
        {options.map((option) => (
          <label key={option.value} class={styles.option} title={option.title}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
