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
