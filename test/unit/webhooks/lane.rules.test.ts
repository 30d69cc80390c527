import { describe, expect, it } from 'vitest';
import {
  claimSize,
  isQuiet,
  type Lane,
  laneLimits,
  maySend,
  newLane,
} from '../../../server/features/webhooks/lane.rules.js';

const lane = (changes: Partial<Lane> = {}): Lane => ({ ...newLane('w', laneLimits), ...changes });
const failing = { failures: laneLimits.failuresUntilEased };

describe('maySend', () => {
  it('lets eight POSTs to one webhook be under way, and one to a receiver that only fails', () => {
    expect(maySend(lane({ sending: 7 }), 1, laneLimits)).toBe(true);
    expect(maySend(lane({ sending: 8 }), 1, laneLimits)).toBe(false);
    expect(maySend(lane({ sending: 0, ...failing }), 1, laneLimits)).toBe(true);
    expect(maySend(lane({ sending: 1, ...failing }), 1, laneLimits)).toBe(false);
    expect(maySend(lane({ failures: laneLimits.failuresUntilEased - 1, sending: 7 }), 1, laneLimits)).toBe(
      true,
    );
  });

  it('sends nothing that is not claimed, and nothing to one that rests', () => {
    expect(maySend(lane(), 0, laneLimits)).toBe(false);
    expect(maySend(lane({ resting: true }), 1, laneLimits)).toBe(false);
  });
});

describe('claimSize', () => {
  it('is eight at first, doubles while batches go quickly, to 64, and falls back to eight', () => {
    let claimed = lane({ more: true });
    const sizes: number[] = [];
    for (const nowMs of [0, 100, 200, 300, 400, 5_000, 5_100]) {
      const batch = claimSize(claimed, 0, nowMs, laneLimits);
      sizes.push(batch);
      claimed = { ...claimed, batch, claimedOn: nowMs };
    }
    expect(sizes).toEqual([8, 16, 32, 64, 64, 8, 16]);
  });

  it('is nothing while there is nothing more, a claim is under way, it rests, or enough is claimed', () => {
    expect(claimSize(lane(), 0, 0, laneLimits)).toBe(0);
    expect(claimSize(lane({ more: true, claiming: true }), 0, 0, laneLimits)).toBe(0);
    expect(claimSize(lane({ more: true, resting: true }), 0, 0, laneLimits)).toBe(0);
    expect(claimSize(lane({ more: true }), 5, 0, laneLimits)).toBe(0);
    expect(claimSize(lane({ more: true }), 4, 0, laneLimits)).toBe(8);
    expect(claimSize(lane({ more: true, unrecorded: 129 }), 0, 0, laneLimits)).toBe(0);
  });

  it('is one, with nothing else in hand, for a receiver that only fails', () => {
    expect(claimSize(lane({ more: true, ...failing }), 0, 0, laneLimits)).toBe(1);
    expect(claimSize(lane({ more: true, ...failing, unrecorded: 1 }), 0, 0, laneLimits)).toBe(0);
    expect(claimSize(lane({ more: true, ...failing, sending: 1 }), 0, 0, laneLimits)).toBe(0);
  });
});

describe('isQuiet', () => {
  it('means that nothing is claimed, sent, unrecorded or known to be due', () => {
    expect(isQuiet(lane(), 0)).toBe(true);
    expect(isQuiet(lane(), 1)).toBe(false);
    for (const busy of [{ sending: 1 }, { unrecorded: 1 }, { claiming: true }, { more: true }])
      expect(isQuiet(lane(busy), 0)).toBe(false);
    expect(isQuiet(lane({ resting: true }), 0)).toBe(true);
  });
});
