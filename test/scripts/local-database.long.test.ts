import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { startDatabase } from '../../scripts/start-local/database.js';

// These tests are about a MongoDB that is started here.
process.env.MONGODB_URI = '';

const parent = mkdtempSync(join(tmpdir(), 'fairlead-local-database-'));
const folder = join(parent, 'data');
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function start() {
  const said: string[] = [];
  const running = await startDatabase(folder, (line) => said.push(line));
  const client = await mongo.MongoClient.connect(running.uri);
  const shapes = client.db().collection<{ _id: string; shape: number }>('database_shape');
  const stop = async () => {
    await client.close();
    await running.stop();
  };
  return { said: said.filter((line) => line.includes(folder)), shapes, stop };
}

it('data of another shape is put aside, and told in one line; data of this one is kept', async () => {
  const first = await start();
  expect(await first.shapes.countDocuments()).toBe(1);
  await first.stop();
  writeFileSync(join(folder, 'secrets.json'), '{}');

  const second = await start();
  expect(second.said).toEqual([]);
  await second.shapes.updateOne({ _id: 'shape' }, { $set: { shape: 0 } });
  await second.stop();

  const third = await start();
  expect(third.said).toEqual([expect.stringContaining(`now in ${folder}-1.`)]);
  expect(await third.shapes.countDocuments()).toBe(0);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['mongo', 'start.pid']));
  expect(readdirSync(folder)).not.toContain('secrets.json');
  expect(readdirSync(`${folder}-1`)).toEqual(expect.arrayContaining(['mongo', 'secrets.json']));
  await third.stop();
}, 120_000);
