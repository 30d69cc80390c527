import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withDatabase } from '../../scripts/mongod/uri.js';
import { startSimulatedAnchors } from '../../scripts/simulated-anchors/index.js';
import { readConfig } from '../../server/config.js';
import { realWorld, startService } from '../../server/main.js';
import { startMongoProxy } from '../fixtures/disputes/database-proxy.js';
import { testDatabase } from '../support/database.js';
import { silentLogger } from '../support/silent-logger.js';

const database = testDatabase();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-dying-'));
const fleetFile = join(folder, 'fleet.json');

beforeAll(async () => {
  const simulated = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: ['harbour'] });
  await simulated.stop();
  writeFileSync(fleetFile, JSON.stringify(simulated.fleet));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a primary that dies while a service starts', () => {
  it.each([
    ['the handshake', ['hello']],
    ['the creation of collections', ['create']],
    ['the creation of indexes', ['createIndexes']],
    ['the leases', ['leases', 'insert']],
    ['the first reading of the epoch', ['cache_epochs', 'find']],
    ['the transaction that stores the fleet', ['anchors', 'startTransaction']],
  ])(
    'is waited for, at %s',
    async (_step, words) => {
      const proxy = await startMongoProxy(withDatabase(database.uri, `${database.name}_${words.join('_')}`));
      let died = false;
      proxy.before(words, () => {
        died = true;
        proxy.die(1_500);
      });
      const config = readConfig({
        MONGODB_URI: proxy.uri,
        FLEET_FILE: fleetFile,
        PORT: '0',
        SCHEDULER: 'off',
      });
      const running = await startService(config, { ...realWorld(config), logger: silentLogger });
      const status = (await fetch(`${running.url}/readyz`)).status;
      await running.connection.dropDatabase();
      await running.stop();
      await proxy.stop();
      expect([died, status]).toEqual([true, 200]);
    },
    60_000,
  );
});
