import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import getPort from 'get-port';
import { ConfigError, readConfig } from '../server/config.js';
import { FleetError } from '../server/features/anchors/fleet-file.rules.js';
import { realWorld, startService } from '../server/main.js';
import { ShapeError } from '../server/mongo/shape-store.js';
import { MongoNotFound } from './find-mongod.js';
import { readOptions, untilReady } from './lib/local-service.js';
import { buildPageIfStale, PageNotBuilt } from './lib/page-build.js';
import { StartedParts } from './lib/started-parts.js';
import { startMongo } from './mongod/replica-set.js';
import { startSimulatedWallets } from './simulated-wallets/index.js';
import { CannotStart, claimFolder, localSecrets } from './start-local/data-folder.js';
import {
  addLocalAnchors,
  addOracle,
  letFail,
  seedLocalHistory,
  seedLocalRates,
  showFirstScores,
} from './start-local/surroundings.js';
import { welcome } from './start-local/welcome.js';

const help = `npm start -- [--data folder]

The whole service on this machine, with nothing installed beforehand: builds the web page where its sources are newer,
finds or fetches MongoDB, starts simulated anchors, a ledger, an oracle and the service, and prints how to use them.
Ctrl-C stops all of it.
  --data   keeps the data in this folder instead of data/
It heeds PORT, MONGODB_URI, FLEET_FILE, ORACLE_URL and every other variable of .env.example.`;

/** Receivers on any port of this machine, so that trying out webhooks needs no setting. */
const receivers = ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:*`).join(',');

const say = (line: string) => console.error(line);

async function start(
  parts: StartedParts,
  { folder, onDatabaseEnded }: { folder: string; onDatabaseEnded: () => void },
): Promise<void> {
  await parts.add('the claim on the data folder', claimFolder(folder));
  const given = process.env;
  await checkPort(Number(given.PORT || 8080), given.HOST || '127.0.0.1');
  await buildPageIfStale(say);

  const mongo = await parts.add('MongoDB', startMongo({ dbPath: join(folder, 'mongo'), say }));
  const secrets = await localSecrets(folder, given);
  mongo.onEnded(onDatabaseEnded);
  const simulated = !given.FLEET_FILE;
  const around = simulated ? await addLocalAnchors(parts, folder) : undefined;
  const anchors = around?.anchors;
  const oracleUrl = given.ORACLE_URL || (await addOracle(parts, folder)).url;
  const allowed = [given.OUTBOUND_ALLOW, around?.env.OUTBOUND_ALLOW, simulated ? receivers : undefined];
  const env = {
    // At level info every request would be logged to this terminal; some simulated anchors fail on purpose, which is `warn`.
    LOG_LEVEL: simulated ? 'error' : 'warn',
    SCHEDULER: 'on',
    OBSERVER: 'on',
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
    ...around?.env,
    ORACLE_URL: oracleUrl,
    OUTBOUND_ALLOW: allowed.filter(Boolean).join(','),
    ...secrets,
    MONGODB_URI: mongo.uri,
  };
  // This runs before anything is written, because it refuses an address that names no database.
  const config = readConfig(env);
  const [adminKey = '', cronSecret = ''] = [config.adminKeys[0], config.cronSecrets[0]];
  const { mongodbUri } = config;
  const seeded = anchors !== undefined && (await seedLocalHistory(mongodbUri, anchors.fleet, say));
  // The past rates are made of the first quotes: an anchor that failed just then would have none.
  if (seeded) letFail(anchors, false);
  const service = await parts.add('the service', startService(config, { ...realWorld(config), env }));
  const { url } = service;
  await untilReady(url);
  if (seeded) {
    await showFirstScores(url, adminKey);
    await seedLocalRates(mongodbUri, url, anchors.fleet);
    letFail(anchors, true);
  }
  if (simulated) {
    const wallets = startSimulatedWallets({ serviceUrl: url, random: Math.random });
    await parts.add('the simulated wallets', wallets);
  }
  console.log(
    welcome({
      url,
      simulated,
      oracle: new URL(oracleUrl).origin,
      ledger: config.ledgerRpcUrl ?? 'none: LEDGER_RPC_URL is not set',
      database: mongo.source,
      folder,
      adminKey,
      cronSecret,
    }),
  );
}

/** Checked before anything is started, so that a port in use costs no time and leaves nothing behind. */
async function checkPort(port: number, host: string): Promise<void> {
  if (port > 0 && port < 65_536 && (await getPort({ port, host })) !== port)
    throw new CannotStart(
      `Port ${port} is taken by another program. Start on another one, such as: PORT=${port + 1} npm start`,
    );
}

/** Faults that the user can fix are printed as their message; for anything else the stack trace helps. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected = [CannotStart, ConfigError, FleetError, MongoNotFound, PageNotBuilt, ShapeError].some(
    (kind) => error instanceof kind,
  );
  return expected ? error.message : (error.stack ?? error.message);
}

async function main(): Promise<void> {
  const usualFolder = fileURLToPath(new URL('../data/', import.meta.url));
  const { values } = readOptions(help, {
    data: { type: 'string', default: usualFolder },
  });
  const parts = new StartedParts(say);
  let stoppingSince: number | undefined;

  async function stop(reason: string, exitCode: number): Promise<void> {
    stoppingSince = Date.now();
    say(reason);
    await parts.stop();
    process.exit(exitCode);
  }
  const onSignal = (): void => {
    if (stoppingSince === undefined) void stop('Stopping …', 0);
    // Under npm one Ctrl-C arrives twice. A second one after a while means: stop at once.
    else if (Date.now() - stoppingSince > 1_000) process.exit(1);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const ended = 'MongoDB has ended by itself; stopping everything else. The next start finds its data again.';
  const onDatabaseEnded = () => void (stoppingSince ?? stop(ended, 1));

  try {
    await start(parts, { folder: resolve(values.data), onDatabaseEnded });
  } catch (error) {
    // Whatever is being started while it stops fails.
    if (stoppingSince === undefined) await stop(explain(error), 1);
  }
}

await main();
