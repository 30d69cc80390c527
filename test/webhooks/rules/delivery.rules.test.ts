import { describe, expect, it } from '@jest/globals';
import { backoffMs } from '../../../server/timing.js';
import { attemptsGranted, outcomeOfStatus } from '../../../server/webhooks/delivery.rules.js';
import { createPlaces } from '../../../server/webhooks/places.js';
import { workerLimits } from '../../../server/webhooks/worker.js';
import { expectFor } from '../../support/expect-for.js';
import { seeded } from '../../support/seeded.js';

describe('outcomeOfStatus', () => {
  it('takes 2xx as acknowledged, 4xx as refused and everything else as failed', () => {
    for (let status = 100; status < 600; status += 1) {
      const expected =
        status >= 200 && status < 300 ? 'acknowledged' : status >= 400 && status < 500 ? 'refused' : 'failed';
      expectFor(String(status), outcomeOfStatus(status)).toBe(expected);
    }
  });
});

describe('the documented limits', () => {
  it('are 5 seconds for an acknowledgement, 4 attempts, and 10, 60, 360 seconds between them, 20 % either way', () => {
    expect(workerLimits.timeoutMs).toBe(5_000);
    expect(attemptsGranted).toBe(4);
    const delays = (random: number) =>
      [1, 2, 3].map((retry) => backoffMs(retry, workerLimits.retry, () => random));
    expect(delays(0.5)).toEqual([10_000, 60_000, 360_000]);
    expect(delays(0)).toEqual([8_000, 48_000, 288_000]);
    expect(delays(1)).toEqual([12_000, 72_000, 432_000]);
  });
});
const sum = (shares: Map<string, number>) => [...shares.values()].reduce((all, one) => all + one, 0);

/** Places of an instance to which these webhooks have acknowledged something. */
function acknowledgedBy(...webhooks: string[]) {
  const places = createPlaces(seeded(1));
  for (const id of webhooks) {
    places.take(id);
    places.release(id, 'acknowledged');
  }
  const takeAll = (shares: Map<string, number>) => {
    for (const [id, share] of shares) for (let n = 0; n < share; n += 1) places.take(id);
  };
  return { places, takeAll };
}

describe('the places of an instance', () => {
  it('are eight for a webhook that acknowledges, and one until it does', () => {
    const { places, takeAll } = acknowledgedBy('known');
    const shares = places.share(['known', 'new']);
    expect(shares).toEqual(new Map(Object.entries({ known: 8, new: 1 })));
    takeAll(shares);
    expect(places.share(['known', 'new'])).toEqual(new Map());
  });

  it('are one again after a time-out, until it acknowledges', () => {
    const { places, takeAll } = acknowledgedBy('a');
    takeAll(places.share(['a']));
    for (let n = 0; n < 7; n += 1) places.release('a', 'acknowledged');
    places.release('a', 'timeout');
    expect(places.share(['a'])).toEqual(new Map([['a', 1]]));
    places.take('a');
    places.release('a', 'failed');
    expect(places.share(['a'])).toEqual(new Map([['a', 1]]));
    places.take('a');
    places.release('a', 'acknowledged');
    expect(places.share(['a'])).toEqual(new Map([['a', 8]]));
  });

  it('are 64 in all, the first of each webhook before the second of any', () => {
    const webhooks = names('a', 40);
    const { places } = acknowledgedBy(...webhooks);
    const shares = places.share(webhooks);
    expect(sum(shares)).toBe(64);
    expect(new Set(shares.values())).toEqual(new Set([1, 2]));
  });

  it('go round: each of 300 webhooks is served before any is served again', () => {
    const webhooks = names('a', 300);
    const { places } = acknowledgedBy(...webhooks);
    const served: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) served.push(...places.share(webhooks).keys());
    expect(new Set(served.slice(0, 300)).size).toBe(300);
  });

  it('leave half to the others, where a hundred webhooks hang from the beginning', () => {
    const [hanging, quick] = [names('hangs', 100), names('quick', 200)];
    const { places, takeAll } = acknowledgedBy();
    const served = new Map<string, number>();
    for (let turn = 0; turn < 400; turn += 1) {
      const shares = places.share([...hanging, ...quick]);
      takeAll(shares);
      for (const [id, share] of shares) {
        served.set(id, (served.get(id) ?? 0) + share);
        if (id.startsWith('quick')) for (let n = 0; n < share; n += 1) places.release(id, 'acknowledged');
      }
    }
    expect(hanging.flatMap((id) => served.get(id) ?? [])).toHaveLength(32);
    const ofQuick = quick.flatMap((id) => served.get(id) ?? []);
    expect(ofQuick.reduce((all, one) => all + one, 0)).toBeGreaterThanOrEqual(400 * 32);
    // Once time-outs free their places, those that were not tried yet come before those that are known to hang.
    for (const id of hanging) if (served.has(id)) places.release(id, 'timeout');
    const next = [...places.share([...hanging, ...quick]).keys()];
    expect(next.filter((id) => served.has(id) && id.startsWith('hangs'))).toEqual([]);
  });
});

function names(kind: string, count: number) {
  return Array.from({ length: count }, (_, n) => `${kind}-${n}`);
}
