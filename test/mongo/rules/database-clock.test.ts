import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDatabaseClock, type DatabaseClock } from '../../../server/mongo/database-clock.js';

/** The true time at which monotonic time is 0. */
const epoch = Date.UTC(2026, 10, 21, 12);

/** Time passes only when a test moves it. `database` and `machine` are the offsets of their clocks from true time. */
let world: {
  trueMs: number;
  database: number;
  machine: number;
  monotonic: number;
  /** How long the request takes to reach MongoDB; `back` is the same for the answer. */
  there: number;
  back: number;
  away: boolean;
  readings: number;
};
let clock: DatabaseClock;

const trueTime = () => epoch + world.trueMs;

beforeEach(() => {
  world = { trueMs: 0, database: 0, machine: 0, monotonic: 0, there: 2, back: 2, away: false, readings: 0 };
  clock = createDatabaseClock({
    readTime: async () => {
      world.readings += 1;
      if (world.away) throw new Error('the database does not answer');
      world.trueMs += world.there;
      const time = new Date(Math.floor(trueTime() + world.database));
      world.trueMs += world.back;
      return time;
    },
    machineClock: () => trueTime() + world.machine,
    stopwatch: () => world.trueMs + world.monotonic,
  });
});

function pass(ms: number): void {
  world.trueMs += ms;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("MongoDB's time on an instance", () => {
  it.each([0, 25 * 3_600_000, -90_000, 61_000])(
    'is right on a machine whose clock is %i ms ahead of it, and says by how much',
    async (machine) => {
      world.machine = machine;
      await clock.read();
      pass(10_000);
      expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(2);
      expect(Math.abs(clock.machineAheadMs() - machine)).toBeLessThanOrEqual(2);
    },
  );

  it('is wrong by half a round trip at most, and by less after a faster answer', async () => {
    Object.assign(world, { there: 0, back: 400 });
    await clock.read();
    expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(201);
    Object.assign(world, { there: 1, back: 1 });
    await clock.read();
    expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(2);
  });

  it('does not become less exact by slow answers', async () => {
    await clock.read();
    Object.assign(world, { there: 0, back: 1_500 });
    for (let times = 0; times < 10; times += 1) await clock.read();
    // Half of the drift allowed between two clocks in the 15 seconds that this took.
    expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(2 + 8);
  });

  it('cannot be asked for before it was read', () => {
    expect(() => clock.now()).toThrow("MongoDB's time was never read");
  });

  it('follows a server whose clock runs 200 parts in a million fast', async () => {
    await clock.read();
    for (let hour = 0; hour < 720; hour += 1) {
      pass(5_000);
      world.database += 1;
      await clock.read();
    }
    expect(Math.abs(clock.now() - (trueTime() + world.database))).toBeLessThanOrEqual(5);
  });
});

describe('a machine whose clock is set', () => {
  it('keeps the right time when its clock is set forward or back, with or without the database', async () => {
    await clock.read();
    for (const away of [false, true]) {
      for (const machine of [25 * 3_600_000, -3_600_000, 0]) {
        Object.assign(world, { machine, away });
        expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(2);
        await settled();
        expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(2);
        expect(Math.abs(clock.machineAheadMs() - machine)).toBeLessThanOrEqual(2);
      }
    }
  });

  it('reads MongoDB again at once, and once', async () => {
    await clock.read();
    const { readings } = world;
    world.machine = 30_000;
    for (let looks = 0; looks < 5; looks += 1) clock.now();
    await settled();
    clock.now();
    expect(world.readings).toBe(readings + 1);
  });

  it('is right again right after it was suspended for three hours, which monotonic time does not count', async () => {
    await clock.read();
    pass(10_800_000);
    world.monotonic -= 10_800_000;
    clock.now();
    await settled();
    expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(2);
    expect(Math.abs(clock.machineAheadMs())).toBeLessThanOrEqual(2);
  });
});

describe('while the database is away', () => {
  it('its time goes on, and a failed reading changes nothing', async () => {
    await clock.read();
    world.away = true;
    pass(600_000);
    await expect(clock.read()).rejects.toThrow('does not answer');
    expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(2);
    world.away = false;
    await clock.read();
    expect(Math.abs(clock.now() - trueTime())).toBeLessThanOrEqual(2);
  });
});

describe('after an election', () => {
  it('the time of a primary that is ahead counts at once', async () => {
    await clock.read();
    world.database = 700;
    await clock.read();
    expect(Math.abs(clock.now() - (trueTime() + 700))).toBeLessThanOrEqual(2);
  });

  it('the time stands still until a primary that is behind has caught up, and never goes back', async () => {
    await clock.read();
    const before = clock.now();
    world.database = -700;
    await clock.read();
    expect(clock.now()).toBe(before);
    pass(500);
    expect(clock.now()).toBe(before);
    pass(500);
    expect(Math.abs(clock.now() - (trueTime() - 700))).toBeLessThanOrEqual(2);
  });

  it('a time that was set back by an hour is followed, rather than waited for', async () => {
    await clock.read();
    clock.now();
    world.database = -3_600_000;
    await clock.read();
    expect(Math.abs(clock.now() - (trueTime() - 3_600_000))).toBeLessThanOrEqual(2);
  });
});
