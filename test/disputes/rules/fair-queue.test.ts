import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ApiError } from '../../../server/errors.js';
import { createFairQueue, type FairQueueOptions } from '../../../server/features/disputes/fair-queue.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose work lasts until the test ends it. */
function heldQueue(options: Partial<FairQueueOptions> = {}) {
  const queue = createFairQueue({ atOnce: 2, maxWaiting: 1_000, maxWaitMs: 5_000, ...options });
  const begun: { client: string; end: (error?: Error) => void }[] = [];
  return {
    /** The clients whose work was started, in the order of the starts. */
    started: () => begun.map(({ client }) => client),
    /** `done`, or the code or message of what was thrown. */
    send: (client: string): Promise<string> =>
      queue(
        client,
        () =>
          new Promise<string>((resolve, reject) => {
            const end = (error?: Error) => (error === undefined ? resolve('done') : reject(error));
            begun.push({ client, end });
          }),
      ).catch((error: Error) => (error instanceof ApiError ? error.code : error.message)),
    async end(index: number, error?: Error) {
      begun[index]?.end(error);
      await turnOfLoop();
    },
    async endAll() {
      for (let index = 0; index < begun.length; index += 1) await this.end(index);
    },
  };
}

describe('the queue of disputes', () => {
  it('runs as many at once as it may, and starts the next when one of them ends or fails', async () => {
    const queue = heldQueue();
    const results = ['a', 'b', 'c', 'd'].map(queue.send);
    expect(queue.started()).toEqual(['a', 'b']);
    await queue.end(0);
    expect(queue.started()).toEqual(['a', 'b', 'c']);
    await queue.end(1, new Error('gone'));
    expect(queue.started()).toEqual(['a', 'b', 'c', 'd']);
    await queue.endAll();
    expect(await Promise.all(results)).toEqual(['done', 'gone', 'done', 'done']);
  });

  it('starts a client that sends its first before a thousand of another client', async () => {
    const queue = heldQueue({ maxWaiting: 2_000 });
    const flood = Array.from({ length: 1_000 }, () => queue.send('flood'));
    const genuine = queue.send('genuine');
    await queue.end(0);
    expect(queue.started()).toEqual(['flood', 'flood', 'genuine']);
    await queue.endAll();
    expect(await genuine).toBe('done');
    expect(await Promise.all(flood)).toEqual(Array(1_000).fill('done'));
  });

  it('starts a client that was no part of a flood before 300 others that each had their first', async () => {
    const queue = heldQueue();
    const others = Array.from({ length: 300 }, (_, n) => `flood ${n}`);
    const first = others.map(queue.send);
    await queue.endAll();
    await Promise.all(first);
    const second = others.map(queue.send);
    const genuine = queue.send('genuine');
    await queue.end(300);
    expect(queue.started().slice(300)).toEqual(['flood 0', 'flood 1', 'genuine']);
    await queue.endAll();
    expect(await Promise.all([...second, genuine])).not.toContain('NOT_READY');
  });

  it('refuses with NOT_READY what stands last when it is full, which is not the newcomer', async () => {
    const queue = heldQueue({ maxWaiting: 3 });
    const flood = Array.from({ length: 5 }, () => queue.send('flood'));
    const genuine = queue.send('genuine');
    expect(await flood[4]).toBe('NOT_READY');
    const tooMany = queue.send('flood');
    expect(await tooMany).toBe('NOT_READY');
    await queue.endAll();
    expect(await genuine).toBe('done');
    expect(await Promise.all(flood)).toEqual(['done', 'done', 'done', 'done', 'NOT_READY']);
  });

  it('refuses with NOT_READY, without starting it, what has waited for 5 s', async () => {
    const queue = heldQueue();
    const sent = ['a', 'b', 'c'].map(queue.send);
    jest.advanceTimersByTime(5_001);
    expect(await sent[2]).toBe('NOT_READY');
    await queue.endAll();
    expect(queue.started()).toEqual(['a', 'b']);
  });
});
