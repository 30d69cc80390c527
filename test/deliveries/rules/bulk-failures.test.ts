import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { repeatedOnce } from '../../../server/features/webhooks/bulk-failures.js';
import { insideBulk } from '../../../server/mongo/failures.js';

const lost = () => new mongo.MongoNetworkError('connection 3 to 127.0.0.1 closed');
const inBulk = (error: Error) =>
  new mongo.MongoBulkWriteError(error as never, { matchedCount: 0 } as never) as Error;

/** A write that fails with these, one after the other, and then is done. */
function failing(...errors: Error[]) {
  let calls = 0;
  const write = async () => {
    const error = errors[calls];
    calls += 1;
    if (error !== undefined) throw error;
    return 'done';
  };
  return { write, calls: () => calls };
}

describe('repeatedOnce', () => {
  it('does a write again whose connection was lost, also inside a bulk write', async () => {
    for (const error of [lost(), inBulk(lost())]) {
      const { write, calls } = failing(error);
      expect(await repeatedOnce(write)).toBe('done');
      expect(calls()).toBe(2);
    }
  });

  it('does so once, and never after a time-out or a failure that would come again', async () => {
    for (const [errors, count] of [
      [[lost(), lost()], 2],
      [[inBulk(new mongo.MongoOperationTimeoutError('timed out')), lost()], 1],
      [[new mongo.MongoServerError({ message: 'no such field', code: 9 }), lost()], 1],
    ] as const) {
      const { write, calls } = failing(...errors);
      await expect(repeatedOnce(write)).rejects.toBe(errors[count - 1]);
      expect(calls()).toBe(count);
    }
  });
});

it('insideBulk is what the driver failed with, and any other failure itself', () => {
  const inside = lost();
  expect(insideBulk(inBulk(inside))).toBe(inside);
  expect(insideBulk(inside)).toBe(inside);
});
