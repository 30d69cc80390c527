import { readFileSync } from 'node:fs';
import { type Express, Router } from 'express';
import type { Connection } from 'mongoose';
import { createApp } from './app.js';
import type { Config } from './config.js';
import { parseFleet } from './features/anchors/fleet.rules.js';
import { createAnchorsRouter, createCorridorsRouter } from './features/anchors/router.js';
import { createAnchorDirectory } from './features/anchors/service.js';
import { createEpochs } from './features/cache/epochs.js';
import { createAdminCacheRouter } from './features/cache/router.js';
import { createCacheAdmin } from './features/cache/service.js';
import { createHealthRouter } from './features/health/router.js';
import { createRatesRouter } from './features/rates/router.js';
import { createRates } from './features/rates/service.js';
import { createSnapshotRouter } from './features/snapshot/router.js';
import { createSnapshot } from './features/snapshot/service.js';
import { createWriteEvent } from './features/webhooks/outbox.js';
import { createDocsRouter } from './http/docs.js';
import { createMetrics } from './http/metrics.js';
import { createRateLimiter } from './http/rate-limiter.js';
import type { World } from './main.js';
import { prepareCollections } from './mongo/collections.js';
import { createInTransaction } from './mongo/transactions.js';
import { createOutbound } from './outbound/outbound.js';

/** The composed service: what listens is added by main.ts, so that tests may listen where they like. */
export interface Service {
  app: Express;
  /** Starts the background work, and the schedule where it is on. */
  start(): void;
  /** Ends both and hands every lease back. */
  stop(): Promise<void>;
}

/** The one place where things are constructed and handed to each other. The connection is open already. */
export async function composeService(config: Config, connection: Connection, world: World): Promise<Service> {
  const { clock, random, newId, logger, env } = world;
  const publicCache = config.cachePublic;

  const limiter = createRateLimiter({ connection, clock, logger });
  const metrics = createMetrics({ limiterDegraded: limiter.degraded });
  const anyone = createOutbound({ allow: config.outboundAllow });
  const operators = createOutbound({ allow: [], trusted: origins([config.fxUrl, config.oracleUrl]) });

  const inTransaction = createInTransaction(connection);
  const writeEvent = createWriteEvent({ connection, clock, newId });
  const epochs = createEpochs({ connection, random, logger });

  const directory = createAnchorDirectory({
    connection,
    fleet: parseFleet(readFileSync(config.fleetFile, 'utf8')),
    outbound: metrics.countOutbound(anyone.request, 'discovery'),
    epochs,
    clock,
    random,
    logger,
    env,
    writeEvent,
    inTransaction,
  });
  const rates = createRates({
    directory,
    outbound: metrics.countOutbound(anyone.request, 'rates'),
    fxOutbound: metrics.countOutbound(operators.request, 'fx'),
    fxUrl: config.fxUrl,
    fxMaxAgeMs: config.fxMaxAgeSeconds * 1_000,
    epochs,
    reputationOf: () => ({ score: null, state: 'insufficient_data', outcomes: 0, meanShortfall: null }),
    clock,
    random,
    logger,
  });
  const snapshot = createSnapshot({ directory, rates, epochs, clock, random, logger });
  const hasCorridor = (id: string) => directory.corridor(id) !== undefined;
  const cacheAdmin = createCacheAdmin({ epochs, hasCorridor, clock, logger });

  await prepareCollections(connection);
  await epochs.start();
  await directory.sync();

  const operations = Router({ caseSensitive: true }).use(
    createHealthRouter({
      checks: { mongodb: () => answersPing(connection), fleet: () => directory.corridors().length > 0 },
      registry: metrics.registry,
    }),
    createDocsRouter({ document: readDocument() }),
  );
  const app = createApp({
    routers: {
      rates: createRatesRouter({ rates, publicCache }),
      corridors: createCorridorsRouter({ anchors: directory, publicCache }),
      anchors: createAnchorsRouter({ anchors: directory, publicCache }),
      snapshot: createSnapshotRouter({ snapshot, publicCache }),
      adminCache: createAdminCacheRouter({ cacheAdmin }),
    },
    operations,
    limiter,
    secrets: { adminKeys: config.adminKeys, cronSecrets: config.cronSecrets },
    trustProxy: config.trustProxy,
    metrics,
    logger,
    newId,
  });

  return {
    app,
    start() {
      directory.start();
      snapshot.start();
    },
    async stop() {
      await snapshot.stop();
      await directory.stop();
      await epochs.stop();
      await Promise.all([anyone.close(), operators.close()]);
    },
  };
}

async function answersPing(connection: Connection): Promise<boolean> {
  await connection.db?.admin().ping();
  return connection.readyState === 1;
}

/** docs/openapi.json; the build keeps it at the same place beside the compiled server. */
function readDocument(): object {
  return JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8')) as object;
}

function origins(urls: readonly (string | undefined)[]): string[] {
  return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))];
}
