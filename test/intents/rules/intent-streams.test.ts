import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mongo } from 'mongoose';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { createIntentStreams } from '../../../server/features/intents/intent-streams.js';
import type { IntentStore } from '../../../server/features/intents/store.js';
import { unpaidIntent } from '../../fixtures/intents/stored-intents.js';
import { heldStream } from '../../support/held-stream.js';
import { silentLogger } from '../../support/silent-logger.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1_000);

/** Streams of intents over a database in memory, which counts its queries. */
function world() {
  const stored = new Map<string, Intent>();
  const seen = { versions: 0, intents: 0, isWatching: false, fault: undefined as Error | undefined };
  let told: Parameters<IntentStore['watch']>[0] | undefined;
  const streams = createIntentStreams({
    store: {
      findByHash: async (hash) => stored.get(hash) ?? null,
      async findByHashes(hashes) {
        seen.intents += 1;
        return hashes.flatMap((hash) => stored.get(hash) ?? []);
      },
      async versionsOf(hashes) {
        seen.versions += 1;
        if (seen.fault !== undefined) throw seen.fault;
        const found = hashes.flatMap((hash) => stored.get(hash) ?? []);
        return new Map(found.map((each) => [each._id, each.version]));
      },
      watch(deps) {
        told = deps;
        const setWatching = (isWatching: boolean) => Object.assign(seen, { isWatching });
        return { start: () => setWatching(true), stop: async () => void setWatching(false) };
      },
    },
    answerOf: async ({ _id, version }) => ({ intentHash: _id, version }) as unknown as IntentAnswer,
    logger: silentLogger,
  });
  const store = (nth: number, version = 0) => {
    const intent = { ...unpaidIntent(nth), version };
    stored.set(intent._id, intent);
    return intent._id;
  };
  const follow = async (hash: string) => {
    const stream = heldStream();
    (await streams.prepare(hash))(stream);
    const versions = () => stream.events.map((text) => Number(/"version":(\d+)/.exec(text)?.[1]));
    return { stream, versions };
  };
  return { store, stored, follow, seen, wake: (hash: string) => told?.onChange(hash) };
}

describe('the streams of intents', () => {
  it('cost one query a second, however many there are and whatever they follow', async () => {
    const { store, follow, seen } = world();
    const hashes = [store(1), store(2), store(3)];
    const readers = [];
    for (let n = 0; n < 100; n += 1) readers.push(await follow(hashes[n % 3] ?? ''));
    await seconds(10);
    expect([seen.versions, seen.intents]).toEqual([10, 0]);
    store(2, 1);
    await seconds(1);
    expect([seen.versions, seen.intents]).toEqual([11, 1]);
    const counts = readers.map(({ versions }) => versions().length);
    expect(counts).toEqual(readers.map((_, n) => (n % 3 === 1 ? 2 : 1)));
    expect(seen.isWatching).toBe(true);
    for (const { stream } of readers) stream.close();
    await seconds(5);
    expect([seen.isWatching, seen.versions, jest.getTimerCount()]).toEqual([false, 11, 0]);
  });

  it('read at most four times a second when a change stream wakes them, and not for what nobody follows', async () => {
    const { store, follow, seen, wake } = world();
    const [followed, other] = [store(1), store(2)];
    const { versions } = await follow(followed);
    for (let version = 1; version <= 100; version += 1) {
      store(1, version);
      wake(followed);
      await jest.advanceTimersByTimeAsync(20);
    }
    await seconds(1);
    expect(seen.versions).toBeLessThanOrEqual(9 + 3);
    expect(versions().at(-1)).toBe(100);
    const before = seen.versions;
    for (let times = 0; times < 50; times += 1) {
      wake(other);
      await jest.advanceTimersByTimeAsync(20);
    }
    expect(seen.versions - before).toBe(1);
  });

  it('end when the intent is gone, wait for a database that is away, and end at a fault that nobody foresaw', async () => {
    const { store, stored, follow, seen } = world();
    const [gone, kept] = [await follow(store(1)), await follow(store(2))];
    stored.delete(unpaidIntent(1)._id);
    await seconds(1);
    expect([gone.stream.isEnded, kept.stream.isEnded]).toEqual([true, false]);
    seen.fault = new mongo.MongoNetworkError('away');
    store(2, 7);
    await seconds(5);
    expect(kept.stream.isEnded).toBe(false);
    seen.fault = undefined;
    await seconds(1);
    expect(kept.versions()).toEqual([0, 7]);
    seen.fault = new TypeError('unforeseen');
    await seconds(1);
    expect(kept.stream.isEnded).toBe(true);
  });
});
