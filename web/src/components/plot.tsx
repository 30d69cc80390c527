import { useEffect, useRef, useState } from 'preact/hooks';
import { useLanguage } from '../i18n/language.js';
import styles from './plot.module.css';
import type { DrawnPlot } from './plot-canvas.js';

export interface PlotSeries {
  label: string;
  /** One for each time; null leaves a gap. */
  values: readonly (number | null)[];
  /** Which of the colours `--plot-1` to `--plot-6`. */
  colour: 1 | 2 | 3 | 4 | 5 | 6;
  kind?: 'line' | 'bars';
  /** Distinguishes the line from another one of the same colour. */
  isDashed?: boolean;
}

/** What is drawn. Keep the identity of `times` and `series` while they do not change: new objects are drawn again. */
export interface PlotProps {
  /** What the plot shows, in a sentence. */
  label: string;
  /** Epoch seconds, ascending. */
  times: readonly number[];
  series: readonly PlotSeries[];
  format: (value: number) => string;
  /** Whether each point is a UTC day; if absent, points are instants in the reader's time zone. */
  isDaily?: boolean;
  /** The ends of the value scale; if absent, the values determine them. */
  range?: readonly [number, number];
  /** The ends of the time scale in epoch seconds; if absent, the times determine them. */
  span?: readonly [number, number];
}

/** Values over time, with what they are at the cursor, and a table of the same. The plot library is loaded when seen. */
export function Plot(props: PlotProps) {
  const { label, times, series, format, isDaily = false } = props;
  const { t, locale, formats } = useLanguage();
  const host = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  const [isDrawable, setDrawable] = useState(true);

  useEffect(() => {
    let drawn: DrawnPlot | undefined;
    let isGone = false;
    import('./plot-canvas.js')
      .then(({ drawPlot }) => {
        if (!isGone && host.current !== null)
          drawn = drawPlot(host.current, { ...props, locale, onPoint: setPointed });
      })
      // If the library does not load, for example because the connection was lost, the table remains.
      .catch(() => setDrawable(false));
    return () => {
      isGone = true;
      drawn?.destroy();
    };
  }, [times, series, locale, isDaily]);

  const timeText = (at: number | undefined) => {
    if (at === undefined) return '';
    return isDaily ? formats.day(at * 1_000) : formats.dateTime(at * 1_000);
  };
  const valueText = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : format(value);
  const shown = pointed ?? times.length - 1;

  return (
    <figure class={styles.plot}>
      <figcaption class={styles.legend}>
        <span class={styles.time}>{timeText(times[shown])}</span>
        <ul aria-label={t('common.plotSeries')}>
          {series.map((each) => (
            <li key={each.label}>
              <span
                class={`${styles.swatch} ${styles[each.kind ?? 'line']} ${each.isDashed ? styles.dashed : ''}`}
                style={{ color: `var(--plot-${each.colour})` }}
              />
              {each.label} <strong>{valueText(each.values[shown])}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      {isDrawable && <div ref={host} class={styles.canvas} role="img" aria-label={label} />}
      <details class={styles.table} open={!isDrawable}>
        <summary>{t('common.asTable')}</summary>
        {/* A region that scrolls has to be reached by keyboard. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <section class={styles.scroll} aria-label={label} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('common.time')}</th>
                {series.map((each) => (
                  <th key={each.label} scope="col">
                    {each.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times
                .map((at, index) => (
                  <tr key={at}>
                    <th scope="row">{timeText(at)}</th>
                    {series.map((each) => (
                      <td key={each.label}>{valueText(each.values[index])}</td>
                    ))}
                  </tr>
                ))
                .reverse()}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  );
}
