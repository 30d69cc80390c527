import { useEffect, useRef, useState } from 'preact/hooks';
import { useLanguage } from '../i18n/language.js';
import styles from './plot.module.css';
import type { DrawnPlot, PlotProps } from './plot-canvas.js';

/** Values over time, with what they are at the cursor, and a table of the same. The plot library is loaded with the first one. */
export function Plot(props: PlotProps) {
  const { label, times, series, format, isDaily = false } = props;
  const { t, locale, formats } = useLanguage();
  const host = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  const [isDrawable, setDrawable] = useState(true);
  /** A phone shows most plots only to those who scroll. */
  const [isNear, setNear] = useState(false);
  const [isTableOpen, openTable] = useState(false);

  useEffect(() => {
    const watcher = new IntersectionObserver(
      (seen) => seen.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: '200px' },
    );
    if (host.current !== null) watcher.observe(host.current);
    return () => watcher.disconnect();
  }, []);

  useEffect(() => {
    if (!isNear) return;
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
  }, [isNear, times, series, locale, isDaily]);

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
      <details
        class={styles.table}
        open={!isDrawable}
        onToggle={(event) => openTable(event.currentTarget.open)}
      >
        <summary>{t('common.asTable')}</summary>
        {isTableOpen && (
          // A region that scrolls has to be reached by keyboard.
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
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
        )}
      </details>
    </figure>
  );
}
