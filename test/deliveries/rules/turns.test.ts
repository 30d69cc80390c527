import { expect, it } from '@jest/globals';
import { createTurns, type InTurn } from '../../../server/deliveries/turns.js';

const patienceMs = 60_000;

/** Starts work that ends when the test ends it. */
function open(inTurn: InTurn) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    add(queue: string, name: string, patience = patienceMs) {
      return inTurn(queue, patience, async () => {
        begun.push(name);
        await new Promise<void>((end) => ends.set(name, end));
        return name;
      });
    },
    async end(name: string) {
      ends.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

it('a place that becomes free goes to the queue with the least under way, of equals to the one served longest ago', async () => {
  const { add, begun, end } = open(createTurns(3));
  const added = ['slow1', 'slow2', 'slow3', 'slow4'].map((name) => add('slow', name));
  added.push(...['other1', 'other2'].map((name) => add('other', name)));
  added.push(add('quick', 'quick1'));
  expect(begun).toEqual(['slow1', 'slow2', 'slow3']);
  await end('slow1');
  await end('slow2');
  expect(begun.slice(3)).toEqual(['other1', 'quick1']);
  await end('quick1');
  expect(begun.slice(5)).toEqual(['slow4']);
  for (const name of ['slow3', 'other1', 'slow4', 'other2']) await end(name);
  expect(begun.at(-1)).toBe('other2');
  await Promise.all(added);
});

it('what does not come to its turn in time is not begun, and holds no place', async () => {
  const { add, begun, end } = open(createTurns(1));
  const first = add('a', 'a1');
  expect(await add('b', 'b1', 1)).toBeUndefined();
  const second = add('b', 'b2');
  await end('a1');
  await end('b2');
  expect(await Promise.all([first, second])).toEqual(['a1', 'b2']);
  expect(begun).toEqual(['a1', 'b2']);
});

it('work that fails gives its place back', async () => {
  const inTurn = createTurns(1);
  await expect(inTurn('a', patienceMs, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await inTurn('b', patienceMs, async () => 'done')).toBe('done');
});
