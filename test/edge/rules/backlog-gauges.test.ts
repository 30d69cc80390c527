import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mongo } from 'mongoose';
import { Registry } from 'prom-client';
import { type Backlogs, registerBacklogs } from '../../../server/http/backlog-gauges.js';
import { silentLogger } from '../../support/silent-logger.js';

const away = new mongo.MongoNetworkError('no primary');
const none = async () => 0;

function gauges(openDisputes: () => Promise<number>) {
  const said: unknown[] = [];
  let nowMs = 1_000;
  const registry = new Registry();
  const backlogs: Backlogs = {
    openWebhookEvents: none,
    openWebhookDeliveries: none,
    dueWebhookDeliveries: none,
    pendingBatches: none,
    heldLog: none,
    openDisputes,
    reputationMarks: none,
  };
  const logger = { ...silentLogger, error: (fields: object) => said.push(fields) };
  registerBacklogs({ registry, backlogs, logger, stopwatch: () => nowMs });
  return {
    said,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** The sample's value as text, or undefined where there is none. */
    scrape: async () => /^fairlead_open_disputes (\S+)$/m.exec(await registry.metrics())?.[1],
  };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the gauge of a backlog', () => {
  it('is read when it is asked for, once for all who ask at the same time, and again after 5 s', async () => {
    let reads = 0;
    const { scrape, pass } = gauges(async () => {
      reads += 1;
      return 10 + reads;
    });
    expect(await Promise.all([scrape(), scrape()])).toEqual(['11', '11']);
    pass(4_999);
    expect(await scrape()).toBe('11');
    pass(1);
    expect(await scrape()).toBe('12');
    expect(reads).toBe(2);
  });

  it('is absent while the database is away, though it was known before, and then there again', async () => {
    const answers = [() => Promise.resolve(3), () => Promise.reject(away), () => Promise.resolve(0)];
    const { scrape, pass, said } = gauges(() => answers.shift()?.() ?? Promise.resolve(9));
    expect(await scrape()).toBe('3');
    pass(5_000);
    expect(await scrape()).toBeUndefined();
    expect(await scrape()).toBe('0');
    expect(said).toEqual([]);
  });

  it('is absent after 500 ms without an answer, and no second read is begun beside the one that hangs', async () => {
    let reads = 0;
    let answer: (value: number) => void = () => undefined;
    const { scrape } = gauges(() => {
      reads += 1;
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    for (let n = 0; n < 3; n += 1) {
      const scraped = scrape();
      // An answer that has arrived is read first, in the turn after the limit.
      await jest.advanceTimersByTimeAsync(501);
      expect(await scraped).toBeUndefined();
    }
    expect(reads).toBe(1);
    answer(4);
    expect(await scrape()).toBe('4');
  });

  it('is absent, and a person is called, when counting fails for another reason', async () => {
    const { scrape, said } = gauges(() => Promise.reject(new Error('hint provided is no index')));
    expect(await scrape()).toBeUndefined();
    expect(said).toMatchObject([{ metric: 'fairlead_open_disputes' }]);
  });
});
