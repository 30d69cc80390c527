import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../server/errors.js';
import { createInTurn } from '../../../server/features/disputes/in-turn.js';

/** Work that ends when told to. */
function heldWork(log: string[], name: string) {
  let end: { resolve(value: string): void; reject(error: Error): void } | undefined;
  const done = new Promise<string>((resolve, reject) => {
    end = { resolve, reject };
  });
  return {
    work: () => {
      log.push(name);
      return done;
    },
    succeed: () => end?.resolve(name),
    fail: (error: Error) => end?.reject(error),
  };
}

const turnOfEvents = () => new Promise((resolve) => setImmediate(resolve));

describe('inTurn', () => {
  it('runs the work of one key one after the other, in order, and that of another meanwhile', async () => {
    const inTurn = createInTurn();
    const log: string[] = [];
    const [first, second, other] = ['first', 'second', 'other'].map((name) => heldWork(log, name));
    if (first === undefined || second === undefined || other === undefined) throw new Error('three');
    const results = [inTurn('a', first.work), inTurn('a', second.work), inTurn('b', other.work)];
    await turnOfEvents();
    expect(log).toEqual(['first', 'other']);
    first.succeed();
    await turnOfEvents();
    expect(log).toEqual(['first', 'other', 'second']);
    second.succeed();
    other.succeed();
    expect(await Promise.all(results)).toEqual(['first', 'second', 'other']);
  });

  it('goes on after a refusal', async () => {
    const inTurn = createInTurn();
    const log: string[] = [];
    const refused = heldWork(log, 'refused');
    const results = Promise.allSettled([inTurn('a', refused.work), inTurn('a', async () => 'next')]);
    refused.fail(new ApiError('INTENT_UNRESOLVED', 'no'));
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('lets those who wait behind a failure fail with it, and those who come after it try', async () => {
    const inTurn = createInTurn();
    const log: string[] = [];
    const failing = heldWork(log, 'failing');
    const waiting = heldWork(log, 'waiting');
    const results = Promise.allSettled([inTurn('a', failing.work), inTurn('a', waiting.work)]);
    failing.fail(new Error('gone'));
    expect(await results).toMatchObject([
      { status: 'rejected', reason: { message: 'gone' } },
      { status: 'rejected', reason: { message: 'gone' } },
    ]);
    expect(log).toEqual(['failing']);
    expect(await inTurn('a', async () => 'after')).toBe('after');
  });
});
