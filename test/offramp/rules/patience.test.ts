import { describe, expect, it } from '@jest/globals';
import { exchange, patiently, Unavailable } from '../../../contract/offramp/exchange.js';
import type { Run } from '../../../contract/offramp/options.js';
import { pauseOf } from '../../../server/outbound/upstream-fault.js';

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

describe('Retry-After', () => {
  const nowMs = Date.parse('2026-11-26T18:09:10Z');
  it.each([
    ['50', 50_000],
    ['Thu, 26 Nov 2026 18:10:00 GMT', 50_000],
    ['Thu, 26 Nov 2026 18:09:00 GMT', 0],
    ['soon', null],
    ['-1', null],
  ])('%s is heeded by startOfframp and by the service', async (header, waitMs) => {
    const fetch = async () => new Response('', { status: 429, headers: { 'retry-after': header } });
    const run = { fetch, clock: () => nowMs } as unknown as Run;
    await expect(exchange(run, 'https://a.example')).rejects.toMatchObject({ retryAfterMs: waitMs });
    expect(pauseOf(header, nowMs)).toBe(waitMs === null ? 5_000 : Math.max(1_000, waitMs));
  });
});
