import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { freePort } from '../../scripts/lib/free-port.js';
import { startSimulatedAnchors } from '../../scripts/simulated-anchors/index.js';
import { readConfig } from '../../server/config.js';
import { realWorld, startService } from '../../server/main.js';
import { silentLogger } from '../support/silent-logger.js';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-waiting-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a service that waits for its database says so at once, then no more than once a minute', async () => {
  const simulated = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: ['harbour'] });
  await simulated.stop();
  const fleetFile = join(folder, 'fleet.json');
  writeFileSync(fleetFile, JSON.stringify(simulated.fleet));
  const port = await freePort();
  const config = readConfig({
    MONGODB_URI: `mongodb://127.0.0.1:${port}/fairlead?replicaSet=rs0`,
    FLEET_FILE: fleetFile,
  });
  const waiting: unknown[] = [];
  const warn = (_fields: object, message: string) => {
    if (message === 'waiting for the database') waiting.push(message);
  };
  // The clock advances twelve seconds per reading, so that the minute passes within a few attempts.
  let nowMs = 0;
  let looks = 0;
  const clock = () => {
    looks += 1;
    nowMs += 12_000;
    return nowMs;
  };
  const world = { ...realWorld(config), clock, logger: { ...silentLogger, warn } };
  await expect(startService(config, world)).rejects.toThrow(/ECONNREFUSED|server selection/i);
  expect(looks).toBeGreaterThan(4);
  expect(waiting).toHaveLength(1);
});
