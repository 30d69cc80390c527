import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { AnchorDirectory } from '../../../server/features/anchors/service.js';
import type { ObservedAnchor } from '../../../server/features/observations/observed-anchor.rules.js';
import { createObserver } from '../../../server/features/observations/observer.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** An observer of this many anchors, each of which hangs until every time limit is over. */
function observing(count: number) {
  const stored = new Map<string, ObservedAnchor>();
  const anchors = Array.from(
    { length: count },
    (_, n) => ({ id: `a${n}`, corridors: [] }) as unknown as ReturnType<AnchorDirectory['anchors']>[number],
  );
  const observe = createObserver({
    store: {
      find: async () => [...stored.values()],
      keep: async (_session, anchor) => void stored.set(anchor._id, anchor),
    },
    directory: { anchors: () => anchors, corridor: () => undefined },
    async askAnchor() {
      const at = new Date();
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      return { at, calls: [], made: 3, corridors: [] };
    },
    leases: {
      async run(_name, _ttlMs, work) {
        const lease = { signal: new AbortController().signal, fence: async () => undefined };
        return { ran: true, value: await work(lease as never) };
      },
    },
    inTransaction: (work) => work({} as never),
    clock: Date.now,
  });
  return { stored, observe };
}

it('a round takes no longer than ten seconds, however many anchors hang, and the next begins with those left', async () => {
  const { stored, observe } = observing(150);
  const rounds: { anchors: number; durationMs: number }[] = [];
  for (let round = 0; round < 3; round += 1) {
    const done = observe(0);
    await jest.advanceTimersByTimeAsync(300_000);
    const outcome = await done;
    if (outcome.ran) rounds.push(outcome.value);
  }
  for (const { durationMs } of rounds) expect(durationMs).toBeLessThan(10_000);
  expect(rounds.map(({ anchors }) => anchors)).toEqual([64, 64, 64]);
  expect(stored.size).toBe(150);
});
