import { expect, it } from '@jest/globals';
import { reconnectWaitMs } from '../../../contract/client/streams/streamer.js';

it.each([
  [1, 0, 2_000],
  [1, 1, 3_000],
  [2, 0, 2_000],
  [2, 1, 4_000],
  [3, 0.5, 4_000],
  [4, 1, 10_000],
  [6, 1, 32_000],
  [1_000, 1, 32_000],
])(
  'before attempt %i, with the random number %d, a stream waits %i ms: what the service told, and a spread that doubles up to 30 s',
  (attempt, random, waitMs) => {
    expect(reconnectWaitMs(attempt, 0, 2_000, random)).toBe(waitMs);
  },
);

it.each([
  [0, 0, 500],
  [0, 1, 750],
  [499, 1, 750],
  [500, 1, 750],
])(
  'at `retry: %i`, with the random number %d, waits %i ms: half a second and a spread at least',
  (retryMs, random, waitMs) => {
    expect(reconnectWaitMs(1, 0, retryMs, random)).toBe(waitMs);
  },
);
