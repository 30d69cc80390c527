import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ClockCheck, createClockCheck, WrongClockError } from '../../../server/jobs/clock-check.js';
import { silentLogger } from '../../support/silent-logger.js';

const primaryMs = Date.UTC(2026, 10, 21);

let [machineAheadMs, roundTripMs, primaryIsAway] = [0, 0, false];
let logged: [level: string, fields: object][];
let check: ClockCheck;

const noting = (level: string) => (fields: object) => void logged.push([level, fields]);

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
    logger: { ...silentLogger, warn: noting('warn'), info: noting('info') },
  });
});

describe('the check of the clock of a machine', () => {
  it.each([
    [0, 0, undefined],
    [4_000, 0, undefined],
    [-4_000, 0, undefined],
    [6_000, 0, '6 s ahead of'],
    [-6_000, 0, '6 s behind'],
    // However slow the answer was.
    [4_000, 1_900, undefined],
    [-6_000, 1_900, '6 s behind'],
  ])(
    'of an instance off by %i ms, asked in %i ms, costs it its jobs, which others do: %s',
    async (...row) => {
      const [aheadMs, tripMs, says] = row;
      [machineAheadMs, roundTripMs] = [aheadMs, tripMs];
      await check.look();
      expect(check.aheadMs()).toBe(aheadMs);
      if (says === undefined) {
        expect([check.fault(), logged]).toEqual([undefined, []]);
        expect(check.throwIfWrong).not.toThrow();
      } else {
        const sentence = `The clock of this machine is ${says} the database's; no job runs here.`;
        expect(check.fault()).toBe(sentence);
        expect(check.throwIfWrong).toThrow(new WrongClockError(sentence));
        expect(logged).toEqual([['warn', { machineAheadSeconds: aheadMs / 1_000 }]]);
      }
    },
  );

  it('keeps to what it saw last while the primary cannot be asked, and logs each change once', async () => {
    const lookInVain = async (aheadMs: number) => {
      [primaryIsAway, machineAheadMs] = [true, aheadMs];
      await expect(check.look()).rejects.toThrow('does not answer');
      primaryIsAway = false;
    };
    await check.look();
    await lookInVain(61_000);
    expect(check.fault()).toBeUndefined();
    await check.look();
    await lookInVain(40);
    expect(check.throwIfWrong).toThrow(WrongClockError);
    await check.look();
    expect(check.fault()).toBeUndefined();
    expect(logged.map(([level]) => level)).toEqual(['warn', 'info']);
  });
});
