import type { HistoryPoint } from '@fairlead/contract/client';

/** The part of a day's record that is drawn. */
export type DrawnDay = Pick<
  HistoryPoint,
  'day' | 'outcomes' | 'filled' | 'score' | 'p50SettleSeconds' | 'p95SettleSeconds'
>;

export const measures = ['score', 'outcomes', 'time'] as const;
export type Measure = (typeof measures)[number];

export type LineName = 'score' | 'outcomes' | 'filled' | 'p50' | 'p95';

export interface HistoryLines {
  /** Epoch seconds of the days with at least one outcome; other days have no point. */
  times: number[];
  lines: { name: LineName; values: (number | null)[] }[];
}

const drawnOf: Record<LineName, (day: DrawnDay) => number | null> = {
  score: ({ score }) => (score === null ? null : Number(score)),
  outcomes: ({ outcomes }) => outcomes,
  filled: ({ filled }) => filled,
  p50: ({ p50SettleSeconds }) => p50SettleSeconds,
  p95: ({ p95SettleSeconds }) => p95SettleSeconds,
};

const linesOf: Record<Measure, LineName[]> = {
  score: ['score'],
  outcomes: ['outcomes', 'filled'],
  time: ['p50', 'p95'],
};

export function historyLines(days: readonly DrawnDay[], measure: Measure): HistoryLines {
  return {
    times: days.map(({ day }) => Date.parse(day) / 1_000),
    lines: linesOf[measure].map((name) => ({ name, values: days.map(drawnOf[name]) })),
  };
}

/** The scale of scores: it begins at 0, 50 or 80, so that small variations of a steady record do not look large. */
export function scoreRange(values: readonly (number | null)[]): [number, number] {
  const least = Math.min(100, ...values.filter((value) => value !== null));
  return [[80, 50].find((start) => least >= start) ?? 0, 100];
}
