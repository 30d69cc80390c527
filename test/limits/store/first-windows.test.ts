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
  first = createWindowStore({ connection, instance: 'first' });
  second = createWindowStore({ connection, instance: 'second' });
});
afterAll(() => connection.close());

const alone = { ahead: true, instances: 1 };
const asked = (key: string, { limit = 90, waiting = 1, isNew = true } = {}) => ({
  key,
  limit,
  windowMs,
  waiting,
  isNew,
});

async function stored(key: string) {
  const document = await limitWindowModel(connection).findById(key).lean();
  return { points: document?.points, seen: document?.seen, by: document?.by };
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
      asked(`${which} ${name}`, { ...each, isNew: which === 'new' }),
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

  it('is opened again if it has ended', async () => {
    await first.draw([asked('f'), asked('g')], alone);
    const ended = new Date(Date.now() - 1);
    await limitWindowModel(connection).updateMany({ _id: { $in: ['f', 'g'] } }, { $set: { expire: ended } });
    const drawn = await second.draw([asked('f'), asked('g')], alone);
    expect(drawn.get('f')?.leftMs).toBeGreaterThan(windowMs - 5_000);
    expect((await stored('f')).by).toEqual({
      second: { draw: expect.any(Number), got: drawn.get('f')?.got },
    });
  });
});

it('many instances that open the same windows at once grant no more than the limit', async () => {
  const stores = Array.from({ length: 8 }, (_, place) =>
    createWindowStore({ connection, instance: `many${place}` }),
  );
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
