import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { insideBulk, isMongoUnavailable } from '../../../server/mongo/failures.js';

const lost = () => new mongo.MongoNetworkError('connection 3 to 127.0.0.1 closed');
const inBulk = (error: Error) =>
  new mongo.MongoBulkWriteError(error as never, { matchedCount: 0 } as never) as Error;

describe('insideBulk', () => {
  it('is what the driver failed with inside a bulk write', () => {
    const inside = lost();
    expect(insideBulk(inBulk(inside))).toBe(inside);
  });

  it('is any other failure itself', () => {
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
