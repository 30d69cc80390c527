import { enumOfMeanings } from './primitives.js';

/** How far apart the samples of a history are. Each is complete: there is nothing between two that is averaged. */
export const historyResolutions = {
  '15m': 'Every sample that is kept: one in 15 minutes for 90 days, one a day before that.',
  '1h': 'The first sample of each hour.',
  '1d': 'The first sample of each UTC day, which is kept for good.',
} as const;

export type HistoryResolution = keyof typeof historyResolutions;

export const historyResolution = enumOfMeanings(historyResolutions);
