import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createCachedAnswers } from '../../../server/http/cached-answers.js';

const key = 'identity application/json /api/corridors';
let now = 0;
let epoch = 0;
let answers: ReturnType<typeof createCachedAnswers<{ text: string }>>;
beforeEach(() => {
  [now, epoch] = [0, 0];
  answers = createCachedAnswers({ epoch: () => epoch, stopwatch: () => now });
});

function keep(text: string, { begunIn = epoch, sameForMs = 60_000, bytes = 1_000, at = key } = {}): void {
  answers.keep(at, { text }, { begunIn, sameForMs, bytes });
}
/** The text that may be served. */
function current(at = key): string | undefined {
  const entry = answers.find(at);
  return entry !== undefined && answers.isCurrent(entry) ? entry.answer.text : undefined;
}

it.each([
  ['for a second at most', 60_000, 999, 1_000],
  ['no longer than it stays the same', 300, 299, 300],
])('an answer is served %s', (_what, sameForMs, last, over) => {
  keep('one', { sameForMs });
  now = last;
  expect(current()).toBe('one');
  now = over;
  expect(current()).toBeUndefined();
});

it('an answer is neither served nor stored after the epoch was raised, if it was begun before', () => {
  keep('one');
  epoch += 1;
  expect(current()).toBeUndefined();
  keep('two', { begunIn: 0 });
  expect(current()).toBeUndefined();
  keep('three');
  expect(current()).toBe('three');
});

it('an answer gives way to others when all together are larger than 32 MB', () => {
  const names = Array.from({ length: 40 }, (_, n) => String(n));
  for (const at of names) keep('large', { bytes: 1_000_000, at });
  expect(names.filter((at) => current(at) !== undefined)).toEqual(names.slice(-33));
});

describe('a renewal', () => {
  const request = () => new EventEmitter() as ServerResponse;
  const renewal = (res = request()) => answers.renewal(answers.find(key) as never, res);

  it.each<[end: string, how: (res: ServerResponse) => void, renewed: boolean]>([
    ['when the answer is there', () => keep('two'), true],
    ['when its request ends without one that is kept', (res) => res.emit('close'), false],
    ['after a second', () => undefined, false],
  ])('is left to one request, and over for the others %s', async (_end, how, renewed) => {
    keep('one');
    now = 1_000;
    const first = request();
    expect(renewal(first)).toBeUndefined();
    const other = renewal();
    how(first);
    await other;
    expect(current()).toBe(renewed ? 'two' : undefined);
    if (!renewed) expect(renewal()).toBeUndefined();
  });
});
