import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createCachedAnswers } from '../../../server/http/cached-answers.js';

const key = 'identity application/json /api/corridors';
let now = 0;
let epoch = 0;
let answers: ReturnType<typeof createCachedAnswers<{ text: string }>>;
beforeEach(() => {
  now = 0;
  epoch = 0;
  answers = createCachedAnswers({ epoch: () => epoch, stopwatch: () => now });
});

function keep(text: string, { begunIn = epoch, sameForMs = 60_000, bytes = 1_000, at = key } = {}): void {
  answers.keep(at, { text }, { begunIn, sameForMs, bytes });
}
/** The answer if it may be served. */
function current() {
  const entry = answers.find(key);
  return entry !== undefined && answers.isCurrent(entry) ? entry.answer : undefined;
}
const renewal = (res = request()) => answers.renewal(answers.find(key) as never, res);
const request = () => new EventEmitter() as ServerResponse;

describe('an answer', () => {
  it.each([
    ['for a second at most', 60_000, 999, true],
    ['not after its second', 60_000, 1_000, false],
    ['as long as it stays the same', 300, 299, true],
    ['not after it would be another', 300, 300, false],
  ])('is served %s', (_what, sameForMs, at, isServed) => {
    keep('one', { sameForMs });
    now = at;
    expect(current() !== undefined).toBe(isServed);
  });

  it('is neither served nor stored after the epoch was raised, if it was begun before', () => {
    keep('one');
    epoch += 1;
    expect(current()).toBeUndefined();
    keep('two', { begunIn: 0 });
    expect(current()).toBeUndefined();
    keep('three');
    expect(current()).toEqual({ text: 'three' });
  });

  it('gives way to others when all together are larger than 32 MB', () => {
    for (let n = 0; n < 40; n += 1) keep('large', { bytes: 1_000_000, at: String(n) });
    const kept = Array.from({ length: 40 }, (_, n) => answers.find(String(n)));
    expect(kept.filter((answer) => answer !== undefined)).toHaveLength(33);
    expect(kept[39]?.answer).toEqual({ text: 'large' });
  });
});

describe('a renewal', () => {
  it('is left to one request, and over for the others when the answer is there', async () => {
    keep('one');
    now = 1_000;
    expect(renewal()).toBeUndefined();
    const other = renewal();
    keep('two');
    await other;
    expect(current()).toEqual({ text: 'two' });
  });

  it('is over when its request ends without an answer that is kept, and the next request renews', async () => {
    keep('one');
    now = 1_000;
    const first = request();
    renewal(first);
    const other = renewal();
    first.emit('close');
    await other;
    expect(renewal()).toBeUndefined();
  });

  it('is over for the others after a second', async () => {
    keep('one');
    renewal();
    const startedAt = performance.now();
    await renewal();
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });
});
