import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createTopics } from '../../../server/streams/topics.js';
import { heldStream } from '../../support/held-stream.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('a reader is sent the present event when it comes, each change once, and nothing of other topics', () => {
  const topics = createTopics({ everyMs: 1_000, look: () => undefined });
  const [first, second, other] = [heldStream(), heldStream(), heldStream()];
  const topic = topics.join('one', () => 1, first);
  topics.join('two', () => 2, other);
  for (const text of ['a', 'a', 'b']) topic.show(Buffer.from(text));
  topics.join('one', () => 1, second);
  topic.show(Buffer.from('c'));
  expect([first.events, second.events, other.events]).toEqual([['a', 'b', 'c'], ['b', 'c'], []]);
});

it('one timer looks after all topics while they have readers, and none is left without', () => {
  const looks: string[][] = [];
  const uses: boolean[] = [];
  const topics = createTopics({
    everyMs: 1_000,
    look: (all) => void looks.push([...all.keys()]),
    onUse: (isUsed) => void uses.push(isUsed),
  });
  const readers = [heldStream(), heldStream(), heldStream()] as const;
  topics.join('one', () => 1, readers[0]);
  topics.join('one', () => 1, readers[1]);
  topics.join('two', () => 2, readers[2]);
  jest.advanceTimersByTime(1_000);
  readers[0].close();
  readers[2].close();
  jest.advanceTimersByTime(1_000);
  readers[1].close();
  jest.advanceTimersByTime(5_000);
  expect([looks, uses]).toEqual([
    [['one', 'two'], ['one']],
    [true, false],
  ]);
  expect(jest.getTimerCount()).toBe(0);
});
