import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ClockCheck, createClockCheck, WrongClockError } from '../../../server/jobs/clock-check.js';
import { silentLogger } from '../../support/silent-logger.js';

const primaryMs = Date.UTC(2026, 10, 21);

let machineAheadMs: number;
let roundTripMs: number;
let primaryIsAway: boolean;
let logged: [level: string, fields: object][];
let check: ClockCheck;

beforeEach(() => {
  [machineAheadMs, roundTripMs, primaryIsAway, logged] = [0, 0, false, []];
  let passedMs = 0;
  const machineClock = () => primaryMs + passedMs + machineAheadMs;
  check = createClockCheck({
    async readPrimaryTime() {
      if (primaryIsAway) throw new Error('the primary does not answer');
      passedMs += roundTripMs / 2;
      const time = new Date(primaryMs + passedMs);
      passedMs += roundTripMs / 2;
      return time;
    },
    machineClock,
    logger: {
      ...silentLogger,
      warn: (fields) => logged.push(['warn', fields]),
      info: (fields) => logged.push(['info', fields]),
    },
  });
});

describe('the check of the clock of a machine', () => {
  it.each([
    { aheadMs: 0, tripMs: 0, says: undefined, loses: 'nothing' },
    { aheadMs: 4_000, tripMs: 0, says: undefined, loses: 'nothing' },
    { aheadMs: -4_000, tripMs: 0, says: undefined, loses: 'nothing' },
    { aheadMs: 6_000, tripMs: 0, says: '6 s ahead of', loses: 'its jobs, which other instances do' },
    { aheadMs: -6_000, tripMs: 0, says: '6 s behind', loses: 'its jobs, which other instances do' },
    { aheadMs: 4_000, tripMs: 1_900, says: undefined, loses: 'nothing, although the answer was slow' },
    { aheadMs: -6_000, tripMs: 1_900, says: '6 s behind', loses: 'its jobs, however slow the answer was' },
  ])('of an instance off by $aheadMs ms, asked in $tripMs ms, costs it $loses', async (row) => {
    [machineAheadMs, roundTripMs] = [row.aheadMs, row.tripMs];
    await check.look();
    expect(check.aheadMs()).toBe(row.aheadMs);
    if (row.says === undefined) {
      expect(check.fault()).toBeUndefined();
      expect(check.throwIfWrong).not.toThrow();
      expect(logged).toEqual([]);
    } else {
      const sentence = `The clock of this machine is ${row.says} the database's; no job runs here.`;
      expect(check.fault()).toBe(sentence);
      expect(check.throwIfWrong).toThrow(new WrongClockError(sentence));
      expect(logged).toEqual([['warn', { machineAheadSeconds: row.aheadMs / 1_000 }]]);
    }
  });

  it('keeps to what it saw last while the primary cannot be asked, and logs once that it was off and once that it agrees', async () => {
    await check.look();
    primaryIsAway = true;
    machineAheadMs = 61_000;
    await expect(check.look()).rejects.toThrow('does not answer');
    expect(check.fault()).toBeUndefined();
    primaryIsAway = false;
    await check.look();
    primaryIsAway = true;
    machineAheadMs = 40;
    await expect(check.look()).rejects.toThrow('does not answer');
    expect(check.throwIfWrong).toThrow(WrongClockError);
    primaryIsAway = false;
    await check.look();
    expect(check.fault()).toBeUndefined();
    expect(logged.map(([level]) => level)).toEqual(['warn', 'info']);
  });
});
