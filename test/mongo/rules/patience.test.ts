import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { createPatience } from '../../../server/mongo/connection.js';
import type { Logger } from '../../../server/ports.js';
import { silentLogger } from '../../support/silent-logger.js';

const lost = () => new mongo.MongoNetworkError('connection 1 to 127.0.0.1:27017 closed');

/** Work whose attempts take these numbers of seconds; all attempts but the last fail. */
function attempts(...given: (number | Partial<Logger>)[]) {
  const seconds = given.filter((each) => typeof each === 'number');
  const logger = given.find((each) => typeof each === 'object');
  const time = { now: 0 };
  const patiently = createPatience({ clock: () => time.now, logger: { ...silentLogger, ...logger } });
  const work = async () => {
    const took = seconds.shift() ?? 0;
    time.now += took * 1_000;
    if (seconds.length > 0) throw lost();
    return 'done';
  };
  return patiently(work);
}

describe('work that waits for its database', () => {
  it('is tried again for a minute in all', async () => {
    await expect(attempts(40, 15, 0)).resolves.toBe('done');
    await expect(attempts(40, 25, 0)).rejects.toThrow('closed');
  });

  it('is tried again after the primary was lost in the tenth minute of an index build', async () => {
    await expect(attempts(600, 40, 0)).resolves.toBe('done');
    await expect(attempts(600, 40, 25, 0)).rejects.toThrow('closed');
  });

  it('says why it waits at once and every ten seconds, in one line without a stack', async () => {
    const said: unknown[][] = [];
    await attempts({ warn: (...line) => void said.push(line) }, 2, 9, 1, 10, 0);
    const line = [{}, 'waiting for the database: connection 1 to 127.0.0.1:27017 closed'];
    expect(said).toEqual([line, line, line]);
  });
});
