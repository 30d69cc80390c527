import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createPlaces } from '../../../server/streams/streams.js';
import { createTopics } from '../../../server/streams/topics.js';
import { type HeldStream, heldStream } from '../../support/held-stream.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('a place is refused to a client that holds its own, and taken for a newcomer from whoever holds most, the oldest first', () => {
  const refusals: string[] = [];
  const meter = { opened: () => {}, closed: () => {}, refused: (why: string) => void refusals.push(why) };
  const { makeRoomFor, take } = createPlaces({ max: 5, maxPerClient: 3, meter });
  const open = (client: string): HeldStream => {
    makeRoomFor(client);
    const stream = heldStream(client);
    take(stream);
    return stream;
  };
  const refusal = (code: string) => expect.objectContaining({ code, extras: { retryAfter: 10 } });
  const held = ['a', 'a', 'a', 'b', 'b'].map(open);
  expect(() => open('a')).toThrow(refusal('RATE_LIMITED'));
  open('c');
  expect(held.map(({ isEnded }) => isEnded)).toEqual([true, false, false, false, false]);
  // Nobody holds two more, so no two displace each other.
  for (const client of ['c', 'a']) expect(() => open(client)).toThrow(refusal('NOT_READY'));
  expect(held.filter(({ isEnded }) => isEnded)).toHaveLength(1);
  expect(refusals).toEqual(['client_full', 'displaced', 'all_full', 'all_full']);
  for (const stream of held) stream.close();
  expect(open('a').isEnded).toBe(false);
});

describe('the topics of streams', () => {
  it('send a reader the present event when it comes, each change once, and nothing of other topics', () => {
    const topics = createTopics({ everyMs: 1_000, look: () => undefined });
    const [first, second, other] = [heldStream(), heldStream(), heldStream()];
    const topic = topics.join('one', () => 1, first);
    topics.join('two', () => 2, other);
    for (const text of ['a', 'a', 'b']) topic.show(Buffer.from(text));
    topics.join('one', () => 1, second);
    topic.show(Buffer.from('c'));
    expect([first.events, second.events, other.events]).toEqual([['a', 'b', 'c'], ['b', 'c'], []]);
  });

  it('are looked after by one timer while they have readers, and by none without', () => {
    const looks: string[][] = [];
    const uses: boolean[] = [];
    const look = (all: ReadonlyMap<string, unknown>) => void looks.push([...all.keys()]);
    const topics = createTopics({ everyMs: 1_000, look, onUse: (isUsed) => void uses.push(isUsed) });
    const readers = [heldStream(), heldStream(), heldStream()] as const;
    for (const [at, name] of ['one', 'one', 'two'].entries())
      topics.join(name, () => name, readers[at] as HeldStream);
    jest.advanceTimersByTime(1_000);
    readers[0].close();
    readers[2].close();
    jest.advanceTimersByTime(1_000);
    readers[1].close();
    jest.advanceTimersByTime(5_000);
    expect({ looks, uses }).toEqual({ looks: [['one', 'two'], ['one']], uses: [true, false] });
    expect(jest.getTimerCount()).toBe(0);
  });
});
