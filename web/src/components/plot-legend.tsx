import { useLanguage } from '../i18n/language.js';
import styles from './plot.module.css';
import type { PlotSeries } from './plot-props.js';

/** What each series is and its value at the cursor, else its last one. Of several, each is hidden and shown by its entry. */
export function PlotLegend(props: {
  series: readonly PlotSeries[];
  /** The time that the values are of. */
  time: string;
  textOf: (series: PlotSeries) => string;
  /** The labels of those that are not drawn. */
  hidden: ReadonlySet<string>;
  onChange: (hidden: ReadonlySet<string>) => void;
}) {
  const { series, time, textOf, hidden, onChange } = props;
  const { t } = useLanguage();
  const entryOf = (each: PlotSeries) => (
    <>
      <span
        class={`${styles.swatch} ${styles[each.kind ?? 'line']} ${each.isDashed ? styles.dashed : ''}`}
        data-colour={each.colour}
      />
      {each.label} <strong>{textOf(each)}</strong>
    </>
  );
  const toggle = (label: string) => {
    const next = new Set(hidden);
    if (!next.delete(label)) next.add(label);
    onChange(next);
  };
  return (
    <div class={styles.legend}>
      <span class={styles.time}>{time}</span>
      {series.length < 2 ? (
        series.map((each) => (
          <span key={each.label} class={styles.entry}>
            {entryOf(each)}
          </span>
        ))
      ) : (
        <ul aria-label={t('common.plotSeries')}>
          {series.map((each) => (
            <li key={each.label}>
              <button
                type="button"
                class={styles.entry}
                aria-pressed={!hidden.has(each.label)}
                onClick={() => toggle(each.label)}
              >
                {entryOf(each)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
