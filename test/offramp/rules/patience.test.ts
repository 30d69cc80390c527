import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../../contract/offramp/exchange.js';
import type { Run } from '../../../contract/offramp/options.js';
import { patiently } from '../../../contract/offramp/patience.js';

/** The waits between the calls to a party that always asks for the same pause. */
async function waitsFor(retryAfterMs: number | null): Promise<number[]> {
  const waits: number[] = [];
  let nowMs = 0;
  const run = {
    patienceMs: 20_000,
    clock: () => nowMs,
    wait: async (ms: number) => {
      nowMs += ms;
      waits.push(ms);
      if (waits.length > 100) throw new Error('a storm of requests');
    },
  } as unknown as Run;
  const call = () => Promise.reject(new Unavailable('busy', retryAfterMs));
  await expect(patiently(run, 'anchor_unavailable', call)).rejects.toMatchObject({
    code: 'anchor_unavailable',
  });
  return waits;
}

describe('a party that is unavailable', () => {
  it('is asked ever more slowly, until the patience ends', async () => {
    expect(await waitsFor(null)).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
  });

  it('is asked no sooner than it says, and no sooner than without its word: `Retry-After: 0` is no storm', async () => {
    expect(await waitsFor(5_000)).toEqual([5_000, 5_000, 5_000, 5_000]);
    expect(await waitsFor(0)).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
  });
});
