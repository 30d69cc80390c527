import { beforeEach, describe, expect, it } from '@jest/globals';
import { createJobWatch } from '../../../server/jobs/job-watch.js';
import type { Logger } from '../../../server/ports.js';
import { silentLogger } from '../../support/silent-logger.js';

const job = {
  task: 'reconcile',
  lease: 'reconcile',
  endpoint: '/api/reputation/reconcile',
  intervalMs: 30_000,
};

let now: number;
let lease: { token: number; acquiredAt: Date | null; expiresAt: Date };
let lines: [string, object][];
let look: () => Promise<void>;

beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  lease = { token: 7, acquiredAt: null, expiresAt: new Date(0) };
  lines = [];
  const logger: Logger = {
    ...silentLogger,
    info: (fields) => void lines.push(['info', fields]),
    warn: (fields) => void lines.push(['warn', fields]),
  };
  look = createJobWatch({ jobs: [job], readLease: async () => lease, clock: () => now, logger });
});

async function lookFor(minutes: number) {
  for (let minute = 0; minute < minutes; minute += 1) {
    await look();
    now += 60_000;
  }
}

describe('a job that nobody runs', () => {
  it('is warned of once, after ten intervals, with the endpoint to call', async () => {
    await lookFor(5);
    expect(lines).toEqual([]);
    await lookFor(20);
    const { task, endpoint } = job;
    expect(lines).toEqual([['warn', { task, endpoint, idleForSeconds: 300 }]]);
  });

  it('is said to run again when its lease was taken, by whichever instance', async () => {
    await lookFor(10);
    lease = { ...lease, token: 8 };
    await lookFor(3);
    expect(lines.map(([level]) => level)).toEqual(['warn', 'info']);
    await lookFor(10);
    expect(lines.map(([level]) => level)).toEqual(['warn', 'info', 'warn']);
  });
});

describe('a job that is run', () => {
  it('is not warned of, however seldom its calls come within ten intervals', async () => {
    for (let run = 0; run < 10; run += 1) {
      await lookFor(4);
      lease = { ...lease, token: lease.token + 1 };
    }
    expect(lines).toEqual([]);
  });

  it('is not warned of while one long run holds its lease', async () => {
    lease = { ...lease, expiresAt: new Date(now + 3_600_000) };
    await lookFor(30);
    expect(lines).toEqual([]);
  });
});
