import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import { ApiError } from '../../../server/errors.js';
import { createRateGroup, type RateGroup } from '../../../server/features/rates/rate-group.js';
import { createRateReader, type RateReader } from '../../../server/features/rates/rate-reader.js';
import type { LiveQuestion, ServedRates } from '../../../server/features/rates/service.js';
import { problemFrame } from '../../../server/streams/events.rules.js';

afterEach(() => {
  jest.useRealTimers();
});

const answer = (n: number) => ({ corridor: 'usdc-ngn', n }) as unknown as RatesAnswer;
/** Waits by the fake timers. */
const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const settle = () => jest.advanceTimersByTimeAsync(0);

/** A question whose answers the test sets; each call of `ask` counts as asking the anchors. */
function question(costs = true) {
  const world = {
    kept: undefined as ServedRates | undefined,
    asked: 0,
    version: 0,
    next: undefined as ServedRates | Error | undefined,
  };
  const live: LiveQuestion = {
    key: 'q',
    version: () => world.version,
    kept: () => world.kept,
    costsCalls: () => costs && (world.kept === undefined || world.kept.freshForMs <= 0),
    async ask() {
      world.asked += 1;
      await delay(0);
      if (world.next instanceof Error) throw world.next;
      world.kept = world.next ?? { answer: answer(world.asked), freshForMs: 15_000 };
      return world.kept;
    },
  };
  return { world, live };
}

/** A reader whose kernel accepts every write, unless the test sets it to full. */
function reader(group: RateGroup, client: string, lastSeen?: string) {
  const state = { text: '', full: false, skipped: 0, ended: false };
  const made: RateReader = createRateReader({
    client,
    lastSeen,
    writer: {
      isFree: () => !state.full,
      write: (bytes) => {
        state.text += bytes.toString();
      },
      end: () => {
        state.ended = true;
      },
    },
    onFree: () => group.offer(made),
    onClose: () => group.leave(made),
    onSkipped: () => {
      state.skipped += 1;
    },
  });
  group.join(made);
  const shown = () => [...state.text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
  return { state, shown, reader: made };
}

function groupOf(
  live: LiveQuestion,
  payFor: (client: string) => Promise<void> = async () => undefined,
): RateGroup {
  return createRateGroup({
    question: live,
    payFor,
    clock: Date.now,
    problemOf: (error) => {
      const { code, message } = error as ApiError;
      return { code, frame: problemFrame({ code, message }) };
    },
  });
}

describe('the readers of one question', () => {
  it('share one computation for each change, and each gets every answer once', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    const group = groupOf(live);
    const readers = Array.from({ length: 1_200 }, (_, n) => reader(group, `c${n}`));
    for (let n = 1; n <= 3; n += 1) {
      await jest.advanceTimersByTimeAsync(20);
      expect(world.asked).toBe(n);
      world.kept = { ...(world.kept as ServedRates), freshForMs: 0 };
      await jest.advanceTimersByTimeAsync(15_000);
    }
    for (const each of readers) expect(each.shown().slice(0, 3)).toEqual([1, 2, 3]);
  });

  it('cost nothing when there are none', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    const group = groupOf(live);
    const only = reader(group, 'a');
    await jest.advanceTimersByTimeAsync(20);
    only.reader.onClose();
    await jest.advanceTimersByTimeAsync(600_000);
    expect([world.asked, group.isEmpty(), jest.getTimerCount()]).toEqual([1, true, 0]);
  });

  it('pay in turn for the calls that their amount causes', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    const paid: string[] = [];
    const group = groupOf(live, async (client) => void paid.push(client));
    for (const client of ['a', 'b', 'c']) reader(group, client);
    for (let n = 0; n < 6; n += 1) {
      await jest.advanceTimersByTimeAsync(20);
      world.kept = { ...(world.kept as ServedRates), freshForMs: 0 };
      await jest.advanceTimersByTimeAsync(15_000);
    }
    expect(paid.slice(0, 6)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('pay once in 15 s, however far apart the anchors reply', async () => {
    jest.useFakeTimers();
    const { live } = question();
    const latencies = [100, 1_500, 4_000];
    let replies: number[] = [];
    let calls = 0;
    live.kept = () =>
      replies.length === 0
        ? undefined
        : {
            answer: answer(Math.min(...replies)),
            freshForMs: Math.max(0, Math.min(...replies) + 15_000 - Date.now()),
          };
    live.costsCalls = () => replies.length === 0 || replies.some((at) => Date.now() - at >= 15_000);
    live.ask = async ({ maxAgeMs = 15_000, replyMaxAgeMs = maxAgeMs } = {}) => {
      const now = Date.now();
      const next = latencies.map((latency, anchor) => {
        const at = replies[anchor];
        return at !== undefined && now - at < replyMaxAgeMs ? at : now + latency;
      });
      calls += next.filter((at) => at >= now).length;
      await delay(Math.max(0, ...next.map((at) => at - now)));
      replies = next;
      return live.kept() as ServedRates;
    };
    const paid: number[] = [];
    const group = groupOf(live, async () => void paid.push(Date.now()));
    reader(group, 'a');
    await jest.advanceTimersByTimeAsync(149_000);
    expect([paid.length, calls]).toEqual([10, 30]);
    expect(Math.min(...paid.slice(1).map((at, n) => at - (paid[n] ?? 0)))).toBeGreaterThanOrEqual(15_000);
  });

  it('are shown the stale answer, and no anchor is asked, while none of them can pay', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    let broke = false;
    const group = groupOf(live, async () => {
      if (broke) throw new ApiError('RATE_LIMITED', 'no points', { retryAfter: 30 });
    });
    const { state, shown } = reader(group, 'a');
    await jest.advanceTimersByTimeAsync(20);
    broke = true;
    world.kept = { answer: answer(100), freshForMs: 0 };
    await jest.advanceTimersByTimeAsync(60_000);
    expect([world.asked, shown()]).toEqual([1, [1, 100]]);
    expect(state.text).not.toContain('problem');
    // The cached answer is too old to be served.
    world.kept = undefined;
    await jest.advanceTimersByTimeAsync(15_000);
    expect(state.text).toContain('event: problem\ndata: {"code":"RATE_LIMITED"');
    broke = false;
    await jest.advanceTimersByTimeAsync(15_000);
    expect(shown()).toEqual([1, 100, 2]);
  });

  it('are shown how old the answer is while the anchors take longer than a second', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    const asked = live.ask;
    const group = groupOf(live);
    const { shown } = reader(group, 'a');
    await jest.advanceTimersByTimeAsync(20);
    live.ask = async () => {
      await delay(4_000);
      return asked();
    };
    world.kept = { answer: answer(50), freshForMs: 0 };
    await jest.advanceTimersByTimeAsync(15_900);
    expect(shown()).toEqual([1]);
    await jest.advanceTimersByTimeAsync(300);
    expect(shown()).toEqual([1, 50]);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(shown()).toEqual([1, 50, 2]);
  });

  it('learn of a change that another request made, without asking anyone', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    const group = groupOf(live);
    const { shown } = reader(group, 'a');
    await jest.advanceTimersByTimeAsync(20);
    world.kept = { answer: answer(77), freshForMs: 15_000 };
    group.glance();
    await settle();
    expect([shown(), world.asked]).toEqual([[1, 77], 1]);
  });

  it('ask again at once for what was voided, and not for what merely gave way in the cache', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    const group = groupOf(live);
    const { shown } = reader(group, 'a');
    await jest.advanceTimersByTimeAsync(20);
    world.kept = undefined;
    for (let times = 0; times < 50; times += 1) group.glance();
    await jest.advanceTimersByTimeAsync(1_000);
    expect([world.asked, shown()]).toEqual([1, [1]]);
    world.version += 1;
    group.glance();
    await jest.advanceTimersByTimeAsync(20);
    expect([world.asked, shown()]).toEqual([2, [1, 2]]);
  });

  it('are never shown an answer that was voided while the anchors were asked, but the one after it at once', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    const group = groupOf(live);
    const { shown } = reader(group, 'a');
    await jest.advanceTimersByTimeAsync(20);
    live.ask = async () => {
      const { version } = world;
      world.asked += 1;
      const served = { answer: answer(world.asked), freshForMs: 15_000 };
      await delay(500);
      if (version === world.version) world.kept = served;
      return served;
    };
    const invalidate = () => {
      world.version += 1;
      world.kept = undefined;
      group.glance();
    };
    invalidate();
    await jest.advanceTimersByTimeAsync(250);
    invalidate();
    await jest.advanceTimersByTimeAsync(1_000);
    expect([world.asked, shown()]).toEqual([3, [1, 3]]);
  });

  it('are not held up by readers that cannot pay, however many come first', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    let turn = 0;
    const group = groupOf(live, async (client) => {
      if (turn > 0 && client.startsWith('broke')) throw new ApiError('RATE_LIMITED', 'no points');
    });
    for (let n = 0; n < 30; n += 1) reader(group, `broke${n}`);
    reader(group, 'rich');
    await jest.advanceTimersByTimeAsync(20);
    turn += 1;
    world.kept = { answer: answer(100), freshForMs: 0 };
    await jest.advanceTimersByTimeAsync(31_000);
    expect(world.asked).toBe(2);
  });

  it('end after an error that waiting does not mend', async () => {
    jest.useFakeTimers();
    const { world, live } = question(false);
    const group = groupOf(live);
    const { state } = reader(group, 'a');
    await jest.advanceTimersByTimeAsync(20);
    world.next = new ApiError('UNKNOWN_CORRIDOR', 'gone');
    world.kept = undefined;
    world.version += 1;
    group.glance();
    await jest.advanceTimersByTimeAsync(20);
    expect(state.text).toContain('"code":"UNKNOWN_CORRIDOR"');
    expect(state.ended).toBe(true);
  });
});

describe('a slow reader', () => {
  it('gets the newest answer when it is free, what it missed is counted, and nobody waits for it', async () => {
    jest.useFakeTimers();
    const { world, live } = question();
    const group = groupOf(live);
    const slow = reader(group, 'slow');
    const quick = reader(group, 'quick');
    await jest.advanceTimersByTimeAsync(20);
    slow.state.full = true;
    for (const n of [10, 11, 12]) {
      world.kept = { answer: answer(n), freshForMs: 15_000 };
      group.glance();
      await settle();
    }
    expect(quick.shown()).toEqual([1, 10, 11, 12]);
    slow.state.full = false;
    slow.reader.onFree();
    expect([slow.shown(), slow.state.skipped]).toEqual([[1, 12], 2]);
  });

  it('that has the present answer by its id is sent nothing', async () => {
    jest.useFakeTimers();
    const { live } = question();
    const group = groupOf(live);
    const first = reader(group, 'a');
    await jest.advanceTimersByTimeAsync(20);
    const [, id] = /id: (\S+)/.exec(first.state.text) ?? [];
    const again = reader(group, 'b', id);
    await settle();
    expect(again.state.text).toBe('');
  });
});
