import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Connection } from 'mongoose';
import {
  createWindowStore,
  limitWindowModel,
  type WindowStore,
} from '../../../server/limits/window-store.js';
import { connectMongo } from '../../../server/mongo/connection.js';
import { prepareCollections } from '../../../server/mongo/models.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
const windowMs = 60_000;
let connection: Connection;
let first: WindowStore;
let second: WindowStore;

beforeAll(async () => {
  connection = await connectMongo({ uri: database.uri });
  await prepareCollections(connection);
  first = open('first');
  second = open('second');
});
afterAll(() => connection.close());

/** A store that takes keys for new. */
function open(instance: string, passed = { ms: 0 }): WindowStore {
  const store = createWindowStore({ connection, instance, stopwatch: () => passed.ms });
  passed.ms += 5_000;
  return store;
}

const alone = { ahead: true, instances: 1 };
const asked = (key: string, { limit = 90, waiting = 1, probablyNew = true } = {}) => ({
  key,
  limit,
  windowMs,
  waiting,
  probablyNew,
});

async function stored(key: string) {
  const document = await limitWindowModel(connection).findById(key).lean();
  return { points: document?.points, seen: document?.seen, by: document?.by };
}

/** The updates of a key meanwhile, as the database records them. */
async function profiled(key: string, work: () => Promise<unknown>) {
  await connection.db?.command({ profile: 2 });
  await work();
  await connection.db?.command({ profile: 0 });
  const updates = { op: 'update', 'command.q._id': key };
  return connection.collection('system.profile').find(updates).sort({ $natural: 1 }).toArray();
}

describe('the first windows of several keys, drawn at once', () => {
  it.each([
    { limit: 90, waiting: 1, instances: 1 },
    { limit: 90, waiting: 80, instances: 1 },
    { limit: 90, waiting: 200, instances: 1 },
    { limit: 20, waiting: 1, instances: 2 },
    { limit: 90, waiting: 1, instances: 8 },
    { limit: 1, waiting: 3, instances: 4 },
    { limit: 7, waiting: 1, instances: undefined },
  ])('are the same as if they had been looked for: %j', async ({ instances, ...each }) => {
    const name = JSON.stringify({ instances, ...each });
    const draws = ['new', 'looked for'].map((which) =>
      asked(`${which} ${name}`, { ...each, probablyNew: which === 'new' }),
    );
    const drawn = await first.draw(draws, { ahead: true, instances });
    const [opened, found] = draws.map(({ key }) => drawn.get(key));
    expect({ ...opened, endsAtMs: 0, leftMs: 0 }).toEqual({ ...found, endsAtMs: 0, leftMs: 0 });
    expect(opened?.leftMs).toBeGreaterThan(windowMs - 5_000);
    expect(opened?.leftMs).toBeLessThanOrEqual(windowMs);
    expect(await stored(draws[0]?.key ?? '')).toEqual(await stored(draws[1]?.key ?? ''));
  });

  it('take nothing but what is needed where they must not draw ahead', async () => {
    const drawn = await first.draw([asked('a'), asked('b')], { ahead: false, instances: 1 });
    expect([...drawn.values()].map(({ got }) => got)).toEqual([1, 1]);
  });
});

describe('a window that another instance has opened', () => {
  it('is drawn from as it is', async () => {
    await first.draw([asked('c'), asked('d')], alone);
    const drawn = await second.draw([asked('c'), asked('d'), asked('e')], alone);
    expect(drawn.get('c')).toMatchObject({ used: 74, got: 6, instances: 2 });
    expect(drawn.get('e')).toMatchObject({ used: 68, got: 68, instances: 1 });
  });

  it('is not written by the update that finds out that it exists', async () => {
    await first.draw([asked('h'), asked('i')], alone);
    const updates = await profiled('h', () => open('third').draw([asked('h'), asked('j')], alone));
    expect(updates.map(({ nMatched, nModified }) => ({ nMatched, nModified }))).toEqual([
      { nMatched: 1, nModified: 0 },
      { nMatched: 1, nModified: 1 },
    ]);
  });

  it('is opened again if it has ended', async () => {
    await first.draw([asked('f'), asked('g')], alone);
    const ended = new Date(Date.now() - 1);
    await limitWindowModel(connection).updateMany({ _id: { $in: ['f', 'g'] } }, { $set: { expire: ended } });
    const drawn = await open('fourth').draw([asked('f'), asked('g')], alone);
    expect(drawn.get('f')?.leftMs).toBeGreaterThan(windowMs - 5_000);
    expect((await stored('f')).by).toEqual({
      fourth: { draw: expect.any(Number), got: drawn.get('f')?.got },
    });
  });
});

it('many instances that open the same windows at once grant no more than the limit', async () => {
  const stores = Array.from({ length: 8 }, (_, place) => open(`many${place}`));
  const keys = Array.from({ length: 30 }, (_, place) => `shared ${place}`);
  const granted = new Map<string, number>();
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(
      stores.map((store) =>
        store.draw(
          keys.map((key) => asked(key, { limit: 20, waiting: 3 })),
          { ahead: true, instances: undefined },
        ),
      ),
    );
    for (const answer of answers)
      for (const [key, { got }] of answer) granted.set(key, (granted.get(key) ?? 0) + got);
  }
  expect([...granted.values()]).toEqual(keys.map(() => 20));
});

describe('an instance', () => {
  it('takes no key for new in the first seconds after its start', async () => {
    await first.draw([asked('k'), asked('l')], alone);
    const starting = createWindowStore({ connection, instance: 'starting', stopwatch: () => 0 });
    expect(await updatesOf('k', () => starting.draw([asked('k'), asked('l')], alone))).toBe(1);
  });

  it('takes none for new for some seconds after most of a batch existed', async () => {
    const passed = { ms: 0 };
    const wrong = open('wrong', passed);
    for (const key of ['m', 'n', 'o']) await first.draw([asked(key), asked(`${key} other`)], alone);
    expect(await updatesOf('m', () => wrong.draw([asked('m'), asked('m other')], alone))).toBe(2);
    expect(await updatesOf('n', () => wrong.draw([asked('n'), asked('n other')], alone))).toBe(1);
    passed.ms += 5_000;
    expect(await updatesOf('o', () => wrong.draw([asked('o'), asked('o other')], alone))).toBe(2);
  });
});

/** How many updates of a key the database counts meanwhile. */
async function updatesOf(key: string, work: () => Promise<unknown>): Promise<number> {
  return (await profiled(key, work)).length;
}
