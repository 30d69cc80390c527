import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

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
  /** A value in words, with as many decimals as the others; a mark of the scale, which is round, with those it needs. */
  format: (value: number, isMark?: boolean) => string;
  /** Whether each point is a UTC day; if absent, points are instants in the reader's time zone. */
  isDaily?: boolean;
  /** The ends of the value scale; if absent, the values determine them. */
  range?: readonly [number, number];
  /** The distances that its marks may have; if absent, round decimals. */
  steps?: readonly number[];
  /** The ends of the time scale in epoch seconds; if absent, the times determine them. */
  span?: readonly [number, number];
}

export interface DrawnPlot {
  destroy(): void;
}

const height = 220;
const secondsOfDay = 86_400;
const secondsOfHour = 3_600;
const secondsOfMinute = 60;

/** Draws into an element as wide as it is, in the colours of the theme, until it is destroyed. */
export function drawPlot(
  host: HTMLElement,
  plot: PlotProps & {
    locale: string;
    onPoint: (index: number | undefined) => void;
  },
): DrawnPlot {
  const { times, series, format, range, span, isDaily = false } = plot;
  const probe = host.appendChild(document.createElement('span'));
  const colour = coloursOf(probe);
  const axis = { stroke: () => colour('--ink-soft'), font: `12px ${getComputedStyle(host).fontFamily}` };
  const grid = { stroke: () => colour('--line'), width: 1 };
  // A bar has half a day on each side of its day, and a single point lies in the middle of an hour.
  const margin = isDaily ? secondsOfDay / 2 : times.length === 1 ? secondsOfHour / 2 : 0;
  const drawn = new uPlot(
    {
      width: host.clientWidth,
      height,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
      ...(isDaily ? { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1_000), 'Etc/UTC') } : {}),
      scales: {
        x: { range: (_, from, to) => (span ? [...span] : [from - margin, to + margin]) },
        y: range === undefined ? {} : { range: [...range] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          ticks: grid,
          size: 36,
          space: 70,
          values: timeLabels(plot.locale, isDaily),
        },
        {
          ...axis,
          grid,
          ticks: { show: false },
          size: 72,
          values: (_, splits) => splits.map((mark) => format(mark, true)),
          ...(plot.steps && { incrs: [...plot.steps] }),
        },
      ],
      series: [{}, ...series.map((each) => seriesOf(each, colour))],
      hooks: { setCursor: [({ cursor }) => plot.onPoint(cursor.idx ?? undefined)] },
    },
    [[...times], ...series.map(({ values }) => [...values])],
    host,
  );
  const resized = new ResizeObserver(() => drawn.setSize({ width: host.clientWidth, height }));
  resized.observe(host);
  const stopFollowing = onThemeChange(() => drawn.redraw(false));
  return {
    destroy() {
      stopFollowing();
      resized.disconnect();
      drawn.destroy();
      probe.remove();
    },
  };
}

function seriesOf(
  { label, colour: index, kind = 'line', isDashed = false }: PlotSeries,
  colour: (name: string) => string,
): uPlot.Series {
  const stroke = () => colour(`--plot-${index}`);
  if (kind === 'line') {
    const points = { fill: () => colour('--surface'), filter: pointsToShow };
    return { label, stroke, width: 2, points, ...(isDashed && { dash: [6, 4] }) };
  }
  const paths = uPlot.paths.bars?.({ size: [0.6, 24] });
  return { label, stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) };
}

/** Marks every point if there is room, else only those without a line to a neighbour, which would be invisible. */
function pointsToShow(drawn: uPlot, index: number, hasRoom: boolean): number[] | null {
  if (hasRoom) return null;
  const values = drawn.data[index] ?? [];
  return [...values.keys()].filter(
    (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null,
  );
}

/** Days where the ticks are at least a day apart, else the time of day at whole minutes. */
function timeLabels(locale: string, isDaily: boolean): uPlot.Axis.DynamicValues {
  const timeZone = isDaily ? { timeZone: 'UTC' } : {};
  const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', ...timeZone });
  const hours = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', ...timeZone });
  return (_, splits, __, ___, apart) =>
    splits.map((at) => {
      if (apart >= secondsOfDay) return days.format(at * 1_000);
      // A daily value has no time of day.
      if (isDaily) return at % secondsOfDay === 0 ? days.format(at * 1_000) : '';
      return at % secondsOfMinute === 0 ? hours.format(at * 1_000) : '';
    });
}

/** A canvas does not resolve `var()`; an element does, and its computed style gives the colour. */
function coloursOf(probe: HTMLElement): (name: string) => string {
  probe.hidden = true;
  return (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
}

/** The theme is the system's or the one chosen, which an attribute of the document tells. */
function onThemeChange(redraw: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = new MutationObserver(redraw);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  system.addEventListener('change', redraw);
  return () => {
    chosen.disconnect();
    system.removeEventListener('change', redraw);
  };
}
