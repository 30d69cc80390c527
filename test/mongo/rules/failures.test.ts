import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { insideBulk, isMongoUnavailable } from '../../../server/mongo/failures.js';

const lost = () => new mongo.MongoNetworkError('connection 3 to 127.0.0.1 closed');
const inBulk = (error: Error) =>
  new mongo.MongoBulkWriteError(error as never, { matchedCount: 0 } as never) as Error;

describe('insideBulk', () => {
  it('returns the failure that the driver wraps in a bulk write error', () => {
    const inside = lost();
    expect(insideBulk(inBulk(inside))).toBe(inside);
  });

  it('returns any other failure itself', () => {
    const error = lost();
    expect(insideBulk(error)).toBe(error);
  });
});

describe('isMongoUnavailable', () => {
  it('recognises a lost connection, also inside a bulk write', () => {
    for (const error of [lost(), inBulk(lost())]) expect(isMongoUnavailable(error)).toBe(true);
    expect(isMongoUnavailable(new mongo.MongoServerError({ message: 'no such field', code: 9 }))).toBe(false);
  });
});
