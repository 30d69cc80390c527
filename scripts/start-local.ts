/**
 * `npm start`: the whole service on this machine, with nothing installed beforehand. Finds or fetches MongoDB and
 * keeps its data, starts simulated anchors, starts the service, says how to use it; Ctrl-C stops it all.
 * `npm start -- --data <folder>` keeps the data elsewhere than in data/.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError, readConfig } from '../server/config.js';
import { FleetError } from '../server/features/anchors/fleet.rules.js';
import { realWorld, startService } from '../server/main.js';
import { MongoNotFound } from './find-mongod.js';
import { isFree } from './mongod/ports.js';
import { startMongo } from './mongod/replica-set.js';
import { startSimulatedWallets } from './simulated-wallets/index.js';
import { startLocalAnchors } from './start-local/anchors.js';
import { CannotStart } from './start-local/cannot-start.js';
import { seedLocalHistory } from './start-local/history.js';
import { claimFolder } from './start-local/only-one.js';
import { startLocalOracle } from './start-local/oracle.js';
import { localSecrets } from './start-local/secrets.js';
import { Interrupted, StartedParts } from './start-local/started-parts.js';
import { welcome } from './start-local/welcome.js';

/** Where scripts/webhook-receiver.ts listens unless told otherwise: the tour of webhooks needs no setting. */
const receiverOrigin = 'http://127.0.0.1:9099';

const say = (line: string) => console.error(line);

async function start(parts: StartedParts, folder: string, onDatabaseEnded: () => void): Promise<void> {
  await mkdir(folder, { recursive: true });
  await parts.add('the claim on the data folder', claimFolder(folder));
  const given = process.env;
  const port = given.PORT || '8080';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new CannotStart(`PORT must be a port number, not "${port}".`);
  if (port !== '0' && !(await isFree(Number(port), given.HOST || '127.0.0.1'))) throw portTaken(port);

  const secrets = await localSecrets(folder, given);
  const mongo = await parts.add('MongoDB', startMongo({ dbPath: join(folder, 'mongo'), say }));
  mongo.onEnded(onDatabaseEnded);
  const simulated = !given.FLEET_FILE;
  const anchors = simulated ? await parts.add('the simulated anchors', startLocalAnchors(folder)) : undefined;
  const oracle = given.ORACLE_URL
    ? undefined
    : await parts.add('the reference oracle', startLocalOracle(folder));

  if (anchors !== undefined) await seedLocalHistory(mongo.uri, anchors.fleet, say);

  const env = {
    // A person reads this terminal: requests are in the log at level info.
    LOG_LEVEL: 'warn',
    SCHEDULER: 'on',
    ...withoutEmpty(given),
    ...anchors?.env,
    ...(oracle === undefined ? {} : { ORACLE_URL: oracle.url }),
    OUTBOUND_ALLOW: [
      given.OUTBOUND_ALLOW,
      anchors?.env.OUTBOUND_ALLOW,
      simulated ? receiverOrigin : undefined,
    ]
      .filter(Boolean)
      .join(','),
    ...secrets,
    MONGODB_URI: mongo.uri,
  };
  const config = readConfig(env);
  const service = await parts.add('the service', startService(config, { ...realWorld(config), env }));
  await untilReady(service.url);
  if (simulated) {
    const { url: serviceUrl } = service;
    const wallets = async () => startSimulatedWallets({ serviceUrl, random: Math.random });
    await parts.add('the simulated wallets', wallets());
  }
  console.log(
    welcome({
      url: service.url,
      simulated,
      database: mongo.source,
      folder,
      adminKey: config.adminKeys[0] ?? '',
      cronSecret: config.cronSecrets[0] ?? '',
      corridor: await firstCorridor(config.fleetFile),
    }),
  );
}

function portTaken(port: string): CannotStart {
  return new CannotStart(
    `Port ${port} is taken by another program. Start on another one, such as: PORT=${Number(port) + 1} npm start`,
  );
}

function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

const readyTimeoutMs = 30_000;

/** It listens a moment before it is ready; what is printed has to work when it is pasted. */
async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await answersOk(`${url}/readyz`))) {
    if (Date.now() > deadline)
      throw new CannotStart(`The service is not ready after ${readyTimeoutMs / 1000} s.`);
    await sleep(100);
  }
}

async function answersOk(address: string): Promise<boolean> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    // Not listening yet, or slow: asked again.
    return false;
  }
}

const fleetFileHead = z.object({
  corridors: z.array(z.object({ id: z.string(), referenceAmount: z.string() })).min(1),
});

/** The service has validated the file by now; only what the greeting needs is read again. */
async function firstCorridor(fleetFile: string): Promise<{ id: string; amount: string }> {
  const { corridors } = fleetFileHead.parse(JSON.parse(await readFile(fleetFile, 'utf8')));
  const [{ id, referenceAmount } = { id: 'usdc-ngn', referenceAmount: '100' }] = corridors;
  return { id, amount: referenceAmount };
}

/** What a person has to read is printed as it is; for anything else the trace is what helps. */
function explain(error: unknown, env: NodeJS.ProcessEnv): string {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return portTaken(env.PORT ?? '').message;
  const expected = [CannotStart, ConfigError, FleetError, MongoNotFound].some(
    (kind) => error instanceof kind,
  );
  return error instanceof Error ? ((expected ? undefined : error.stack) ?? error.message) : String(error);
}

async function main(): Promise<void> {
  const usualFolder = fileURLToPath(new URL('../data/', import.meta.url));
  const { values } = parseArgs({ options: { data: { type: 'string', default: usualFolder } } });
  const parts = new StartedParts(say);
  const finish = async (code: number): Promise<never> => {
    await parts.stop();
    process.exit(code);
  };

  let up = false;
  let askedAt: number | undefined;
  let exitCode = 0;
  const onSignal = (): void => {
    // One Ctrl-C arrives twice under npm; a second one a while later means it.
    if (askedAt !== undefined && Date.now() - askedAt > 1_000) process.exit(1);
    if (askedAt !== undefined) return;
    askedAt = Date.now();
    say('Stopping …');
    parts.interrupt();
    if (up) void finish(exitCode);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);

  const onDatabaseEnded = (): void => {
    if (askedAt !== undefined) return;
    askedAt = Date.now();
    exitCode = 1;
    say('MongoDB has ended by itself; stopping the rest. The next start finds its data again.');
    parts.interrupt();
    if (up) void finish(exitCode);
  };

  try {
    await start(parts, resolve(values.data), onDatabaseEnded);
    up = true;
    if (askedAt !== undefined) await finish(exitCode);
  } catch (error) {
    const interrupted = error instanceof Interrupted || askedAt !== undefined;
    if (!interrupted) say(explain(error, process.env));
    await finish(interrupted ? exitCode : 1);
  }
}

await main();
