import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { createIntentReader } from '../../../server/features/intents/intent-reader.js';
import { startMs } from '../../fixtures/intents/intent-states.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** An intent with this many steps: its transaction is replaced again and again. */
function intentOf(count: number, over = false): Intent {
  const at = new Date(startMs);
  const steps = [
    { kind: 'registered' as const, at },
    ...Array.from({ length: count - 1 }, (_, n) => ({
      kind: 'transaction_attached' as const,
      at: new Date(startMs + n),
    })),
  ];
  const last = steps.at(-1)?.at ?? at;
  const attached = count > 1 ? { transactionId: 'tx', attachedAt: last } : {};
  if (!over) return { ...unpaidIntent(1), ...attached, steps };
  const expired = [...steps.slice(0, -1), { kind: 'expired' as const, at }];
  return { ...unpaidIntent(1), steps: expired, status: 'expired', open: false };
}

function reading(first: Intent | null, seen = 0) {
  const world = {
    intent: first,
    full: false,
    reads: 0,
    failing: false,
    text: '',
    ended: false,
    retries: true,
  };
  const reader = createIntentReader({
    seen,
    writer: {
      isFree: () => !world.full && !world.ended,
      write: (bytes) => {
        world.text += bytes.toString();
        world.full = true;
      },
      end: () => {
        world.ended = true;
      },
    },
    read: async () => {
      world.reads += 1;
      if (world.failing) throw new Error('no database');
      return world.intent;
    },
    answerOf: async ({ _id }) => ({ intentHash: _id }) as IntentAnswer,
    asksLedger: true,
    mayRetry: () => world.retries,
    random: () => 0.999,
    onClose: () => undefined,
  });
  setInterval(() => reader.onSecond(), 1_000);
  const take = async () => {
    world.full = false;
    reader.onFree();
    await jest.advanceTimersByTimeAsync(0);
  };
  const look = async () => {
    reader.wake();
    await jest.advanceTimersByTimeAsync(0);
  };
  const ids = () => [...world.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  return { world, reader, take, look, ids };
}

const upTo = (count: number, from = 1) => Array.from({ length: count - from + 1 }, (_, n) => from + n);

describe('a reader of the stream of an intent', () => {
  it('gets all that it has not seen, in order, and each once', async () => {
    const { look, take, ids, world } = reading(intentOf(5), 2);
    await look();
    expect(ids()).toEqual([3, 4, 5]);
    await take();
    await look();
    world.intent = intentOf(7);
    await look();
    expect(ids()).toEqual([3, 4, 5, 6, 7]);
  });

  it('that is slow misses nothing: what it has not taken is read again, not kept', async () => {
    const { look, take, ids, world } = reading(intentOf(1));
    await look();
    for (let count = 2; count <= 60; count += 1) {
      world.intent = intentOf(count);
      await look();
    }
    expect([ids(), world.reads]).toEqual([[1], 1]);
    for (let times = 0; times < 5; times += 1) await take();
    expect(ids()).toEqual(upTo(60));
  });

  it('is sent a step that is stored while an earlier wake-up is still being read', async () => {
    const { reader, take, ids, world } = reading(intentOf(1));
    reader.wake();
    world.intent = intentOf(2);
    reader.wake();
    await jest.advanceTimersByTimeAsync(0);
    await take();
    expect(ids()).toEqual([1, 2]);
  });

  it('waits for a database that does not answer, and then goes on', async () => {
    const { look, ids, world } = reading(intentOf(3));
    world.failing = true;
    await look();
    await jest.advanceTimersByTimeAsync(10_000);
    world.failing = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(ids()).toEqual([1, 2, 3]);
  });

  it('is sent what a majority has only shortly after the wake-up, though no other wake-up comes', async () => {
    const { look, ids, world } = reading(intentOf(2), 2);
    await look();
    world.intent = intentOf(3);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(ids()).toEqual([3]);
  });

  it('is sent what no wake-up tells of, 30 s later at most', async () => {
    const { look, ids, world } = reading(intentOf(2), 2);
    await look();
    await jest.advanceTimersByTimeAsync(2_000);
    for (const count of [3, 4]) {
      world.intent = intentOf(count);
      world.full = false;
      await jest.advanceTimersByTimeAsync(30_000);
    }
    expect(ids()).toEqual([3, 4]);
    expect(world.reads).toBe(4);
  });

  it('is let go where the intent cannot be read at all, or is there no more', async () => {
    const failing = reading(intentOf(3));
    Object.assign(failing.world, { failing: true, retries: false });
    await failing.look();
    expect(failing.world.ended).toBe(true);
    const removed = reading(null);
    await removed.look();
    expect(removed.world.ended).toBe(true);
  });

  it('is told which transition is the last, and let go after it', async () => {
    const { look, ids, world } = reading(intentOf(3, true));
    await look();
    expect(ids()).toEqual([1, 2, 3]);
    expect([...world.text.matchAll(/"last":(\w+)/g)].map(([, last]) => last)).toEqual([
      'false',
      'false',
      'true',
    ]);
    expect(world.ended).toBe(true);
  });
});
