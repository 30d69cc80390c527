import { describe, expect, it } from '@jest/globals';
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
  const quick = { more: true, answerMs: 5 };

  it('is what can be sent at once, for a receiver that is slow or not known', () => {
    for (const answerMs of [Number.POSITIVE_INFINITY, 101]) {
      expect(claimSize(lane({ more: true, answerMs }), 0, laneLimits)).toBe(8);
      expect(claimSize(lane({ more: true, answerMs, sending: 5 }), 2, laneLimits)).toBe(1);
      expect(claimSize(lane({ more: true, answerMs, sending: 8 }), 0, laneLimits)).toBe(0);
    }
  });

  it('doubles for a receiver that is quick, to 256, and falls back to eight when it is slow again', () => {
    const sizes: number[] = [];
    let batch = 8;
    for (let claims = 0; claims < 6; claims += 1) {
      batch = claimSize(lane({ ...quick, batch, sending: 8 }), 0, laneLimits);
      sizes.push(batch);
    }
    expect(sizes).toEqual([16, 32, 64, 128, 256, 256]);
    expect(claimSize(lane({ ...quick, batch, answerMs: 900 }), 0, laneLimits)).toBe(8);
  });

  it('is never more than eight at a time take half a second for', () => {
    const asBefore = { more: true, batch: 256 };
    for (const [answerMs, size] of [
      [1, 256],
      [15, 256],
      [16, 250],
      [40, 100],
      [100, 40],
    ] as const)
      expect(claimSize(lane({ ...asBefore, answerMs }), 0, laneLimits)).toBe(size);
  });

  it('is nothing while there is nothing more, a claim is under way, it rests, or enough is claimed', () => {
    expect(claimSize(lane(), 0, laneLimits)).toBe(0);
    expect(claimSize(lane({ ...quick, claiming: true }), 0, laneLimits)).toBe(0);
    expect(claimSize(lane({ ...quick, resting: true }), 0, laneLimits)).toBe(0);
    expect(claimSize(lane({ ...quick, batch: 256 }), 129, laneLimits)).toBe(0);
    expect(claimSize(lane({ ...quick, batch: 256 }), 128, laneLimits)).toBe(256);
    expect(claimSize(lane({ ...quick, unrecorded: 513 }), 0, laneLimits)).toBe(0);
  });

  it('is one, with nothing else in hand, for a receiver that only fails', () => {
    expect(claimSize(lane({ ...quick, ...failing }), 0, laneLimits)).toBe(1);
    expect(claimSize(lane({ ...quick, ...failing, unrecorded: 1 }), 0, laneLimits)).toBe(0);
    expect(claimSize(lane({ ...quick, ...failing, sending: 1 }), 0, laneLimits)).toBe(0);
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
