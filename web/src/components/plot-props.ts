export interface PlotSeries {
  label: string;
  /** One for each time; null leaves a gap. */
  values: readonly (number | null)[];
  /** Which of the colours `--plot-1` to `--plot-6`. */
  colour: 1 | 2 | 3 | 4 | 5 | 6;
  kind?: 'line' | 'bars';
  /** Tells a line from another one of the same colour. */
  isDashed?: boolean;
}

/** What is drawn. Keep `times` and `series` the same objects while they do not change: others are drawn anew. */
export interface PlotProps {
  /** What the plot shows, in a sentence. */
  label: string;
  /** Epoch seconds, ascending. */
  times: readonly number[];
  series: readonly PlotSeries[];
  format: (value: number) => string;
  /** Where each point is a UTC day; points in time of the reader's day when absent. */
  isDaily?: boolean;
  /** The ends of the scale of values; as the values need when absent. */
  range?: readonly [number, number];
}
