import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { startMongo } from '../../scripts/mongod/replica-set.js';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-mongo-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('starts on an empty folder whose data was removed and whose port was kept', async () => {
  const dbPath = join(folder, 'mongo');
  const first = await startMongo({ dbPath, ownProcess: true });
  await first.stop();
  await rm(dbPath, { recursive: true });

  const second = await startMongo({ dbPath, ownProcess: true });
  await second.stop();
  expect(second.uri).toBe(first.uri);
}, 120_000);
