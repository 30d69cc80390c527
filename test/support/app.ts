import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../scripts/simulated-anchors/index.js';
import { type Config, readConfig } from '../../server/config.js';
import { type RunningService, realWorld, startService } from '../../server/main.js';
import type { World } from '../../server/ports.js';
import { createClient, type TestClient } from './answers.js';
import { testDatabase } from './database.js';
import { silentLogger } from './silent-logger.js';

export const testAdminKey = 'admin-key-of-the-tests-0123456789';
export const testCronSecret = 'cron-secret-of-the-tests-0123456789';

export interface TestApp extends RunningService {
  /** Sends requests and checks every answer against the document. */
  client: TestClient;
  simulated: SimulatedAnchors;
  config: Config;
  /** Stops the service and the anchors. */
  close(): Promise<void>;
}

export interface TestAppOptions {
  /** The address from testDatabase() or privateMongo(). */
  uri: string;
  /** Environment variables in addition to the defaults. */
  env?: Record<string, string>;
  /** Origins that may be called in addition to the simulated anchors'. */
  allow?: readonly string[];
  world?: Partial<World>;
  simulated?: SimulatedAnchors;
  /** Rewrites the fleet file before it is read. */
  fleet?: (fleet: SimulatedAnchors['fleet']) => unknown;
}

/** All simulated anchors, without scheduled outages: a test must not depend on the time of day. */
async function startSteadyAnchors(): Promise<SimulatedAnchors> {
  const simulated = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, latencyFactor: 0 });
  for (const anchor of simulated.anchors) anchor.setProfile({ outage: null });
  return simulated;
}

/** The real app on a database of its own, until the file ends. Call it once at the top of a file, and await it. */
export async function testApp(options: Omit<TestAppOptions, 'uri'> = {}): Promise<TestApp> {
  const { uri } = testDatabase();
  const app = await startTestApp({ uri, ...options });
  afterAll(app.close);
  return app;
}

/** The real app on a socket, with the scheduler off and a fleet of simulated anchors (or the one given). */
export async function startTestApp(options: TestAppOptions): Promise<TestApp> {
  const simulated = options.simulated ?? (await startSteadyAnchors());
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-test-'));
  const fleetFile = join(folder, 'fleet.json');
  writeFileSync(fleetFile, JSON.stringify(options.fleet?.(simulated.fleet) ?? simulated.fleet));
  const env = {
    MONGODB_URI: options.uri,
    FLEET_FILE: fleetFile,
    PORT: '0',
    ADMIN_SECRET_KEY: testAdminKey,
    CRON_SECRET: testCronSecret,
    TRUST_PROXY: '127.0.0.0/8',
    OUTBOUND_ALLOW: [...simulated.allow, ...(options.allow ?? [])].join(','),
    FX_URL: simulated.fxUrl,
    FX_SOURCE: 'simulated market',
    SCHEDULER: 'off',
    ...simulated.env,
    ...options.env,
  };
  const config = readConfig(env);
  const world: World = {
    ...realWorld(config),
    logger: silentLogger,
    env,
    // The result of a test must not depend on whether this checkout has a built page.
    pageFolder: undefined,
    ...options.world,
  };
  const running = await startService(config, world);
  return {
    ...running,
    config,
    simulated,
    client: createClient(running.url),
    close: async () => {
      await running.stop();
      if (options.simulated === undefined) await simulated.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
