import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ClockWatch, createClockWatch } from '../../../server/jobs/clock-watch.js';
import { WrongClockError } from '../../../server/jobs/wrong-clock.js';
import { silentLogger } from '../../support/silent-logger.js';

let machineAheadMs: number;
let databaseIsAway: boolean;
let logged: [level: string, fields: object][];
let watch: ClockWatch;

beforeEach(() => {
  [machineAheadMs, databaseIsAway, logged] = [0, false, []];
  watch = createClockWatch({
    databaseClock: {
      now: () => Date.UTC(2026, 10, 21),
      read: async () => {
        if (databaseIsAway) throw new Error('the database does not answer');
      },
      machineAheadMs: () => machineAheadMs,
    },
    logger: {
      ...silentLogger,
      warn: (fields) => logged.push(['warn', fields]),
      info: (fields) => logged.push(['info', fields]),
    },
  });
});

describe('the watch over the clock of a machine', () => {
  it.each([-5_000, 0, 5_000])('finds nothing wrong with one that is %i ms ahead', async (ms) => {
    machineAheadMs = ms;
    await watch.look();
    expect(watch.fault()).toBeUndefined();
    expect(watch.throwIfWrong).not.toThrow();
    expect(logged).toEqual([]);
  });

  it.each([
    [-5_001, '5 s behind'],
    [5_001, '5 s ahead of'],
    [-90_000, '90 s behind'],
    [90_000_000, '90000 s ahead of'],
  ])('lets no job run on one that is %i ms ahead, and says why', (ms, how) => {
    machineAheadMs = ms;
    const sentence = `The clock of this machine is ${how} the database's; no job runs here.`;
    expect(watch.fault()).toBe(sentence);
    expect(watch.throwIfWrong).toThrow(WrongClockError);
    expect(watch.throwIfWrong).toThrow(sentence);
  });

  it('logs once when it becomes wrong and once when it is right again, also while the database is away', async () => {
    machineAheadMs = 61_000;
    await watch.look();
    databaseIsAway = true;
    await expect(watch.look()).rejects.toThrow('does not answer');
    machineAheadMs = 40;
    await expect(watch.look()).rejects.toThrow('does not answer');
    databaseIsAway = false;
    await watch.look();
    expect(logged).toEqual([
      ['warn', { machineAheadSeconds: 61 }],
      ['info', { machineAheadSeconds: 0.04, failedForSeconds: 0 }],
    ]);
  });
});
