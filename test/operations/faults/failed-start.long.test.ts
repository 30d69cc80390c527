import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import { withDatabase } from '../../../scripts/mongod/uri.js';
import { startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { formsOf } from '../../fixtures/edge/nowhere.js';
import { testDatabase } from '../../support/database.js';
import { runProgram } from '../../support/run-program.js';
import { testRun } from '../../support/test-run.js';

const main = fileURLToPath(new URL('../../../server/main.ts', import.meta.url));
const secrets = {
  ADMIN_SECRET_KEY: `planted-${randomBytes(16).toString('hex')}`,
  CRON_SECRET: `planted-${randomBytes(16).toString('hex')}`,
  WEBHOOK_KEY: randomBytes(32).toString('hex'),
  PUBLISHER_SECRET_KEY: randomBytes(32).toString('hex'),
};
const password = `planted-${randomBytes(16).toString('hex')}`;
const database = testDatabase();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-failed-start-'));
const fleetFile = join(folder, 'fleet.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const simulated = await startSimulatedAnchors({ clock: Date.now, random: () => 0.5, anchors: ['harbour'] });
  writeFileSync(fleetFile, JSON.stringify(simulated.fleet));
  await simulated.stop();
});

/** Starts the process as an operator does; resolves to how it ended and to all its output. */
async function start(env: Record<string, string>) {
  const { PATH = '' } = process.env;
  const usual = { NODE_ENV: 'production', PORT: '0', LOG_LEVEL: 'debug' };
  const ended = await runProgram(process.execPath, ['--import', 'tsx', main], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { PATH, ...usual, FLEET_FILE: fleetFile, MONGODB_URI: database.uri, ...secrets, ...env },
  });
  return { status: ended.status, wrote: ended.stdout + ended.stderr };
}

function withPassword(uri: string): string {
  const address = new URL(uri);
  address.username = 'nobody-of-that-name';
  address.password = password;
  return address.href;
}

type Failure = [name: string, reason: RegExp, env: () => Record<string, string>];

const unparsed = /MONGODB_URI|Password contains unescaped characters|Unable to parse host:port/;
const addresses = ['@:x@y:z/', '@', '/@host/db', ':more@host/db', '@host:port/db'].map(
  (rest) => `mongodb://fairlead:${password}${rest}`,
);
const misspelt = () => `${withPassword(withDatabase(testRun.mongoUri, 'x'))}&passwort=${password}`;
const failures: Failure[] = [
  ['a wrong password', /authentication failed/i, () => ({ MONGODB_URI: withPassword(database.uri) })],
  ...[...addresses, `mongodb:///${password}@host`].map(
    (MONGODB_URI): Failure => ['an address that is none, with a password', unparsed, () => ({ MONGODB_URI })],
  ),
  ['an option of the database that is unknown', /option/i, () => ({ MONGODB_URI: misspelt() })],
  ['a fleet file that is not there', /FLEET_FILE names a file/, () => ({ FLEET_FILE: join(folder, 'no') })],
  ['a short secret', /at least 24/, () => ({ CRON_SECRET: `,,${secrets.CRON_SECRET.slice(0, 23)}` })],
  ['a key that is no key', /WEBHOOK_KEY must be 64/, () => ({ WEBHOOK_KEY: 'AB'.repeat(32) })],
];

describe('a failed start exits with 1, prints the reason, and prints no secret', () => {
  it.each(failures)('%s', async (_name, reason, env) => {
    const { status, wrote } = await start(env());
    expect(wrote).toMatch(reason);
    expect(status).toBe(1);
    const shown = Object.entries({ ...secrets, password }).filter(([, secret]) =>
      formsOf(secret).some((form) => wrote.toLowerCase().includes(form.slice(0, 20).toLowerCase())),
    );
    expect(shown).toEqual([]);
  });

  it('a port that is taken', async () => {
    const taken = await listenOnLoopback(() => undefined);
    const { status, wrote } = await start({ PORT: new URL(taken.origin).port });
    await taken.stop();
    expect(wrote).toMatch(/EADDRINUSE/);
    expect(status).toBe(1);
  });
});
