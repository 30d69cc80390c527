import type { Connection } from 'mongoose';
import { parseFleet } from '../../server/features/anchors/fleet.rules.js';
import { type AnchorDirectory, createAnchorDirectory } from '../../server/features/anchors/service.js';
import { createEpochs, type Epochs } from '../../server/features/cache/epochs.js';
import type { QuoteReputation } from '../../server/features/rates/answer.rules.js';
import { createRates, type Rates, type RatesLimits } from '../../server/features/rates/service.js';
import { createWriteEvent } from '../../server/features/webhooks/outbox.js';
import { prepareCollections } from '../../server/mongo/collections.js';
import { connectMongo } from '../../server/mongo/connection.js';
import { createInTransaction } from '../../server/mongo/transactions.js';
import { createOutbound, type LookupFn } from '../../server/outbound/outbound.js';
import type { Logger } from '../../server/ports.js';
import { silentLogger } from './silent-logger.js';

export interface RatesHarness {
  /** Epoch milliseconds that every part sees; tests move it. */
  world: { now: number };
  connection: Connection;
  epochs: Epochs;
  directory: AnchorDirectory;
  rates: Rates;
  close(): Promise<void>;
}

export interface HarnessOptions {
  uri: string;
  /** A fleet file as an object. */
  fleet: unknown;
  /** Origins for OUTBOUND_ALLOW. */
  allow: readonly string[];
  env?: Readonly<Record<string, string | undefined>>;
  fxUrl?: string | undefined;
  world?: { now: number };
  limits?: Partial<RatesLimits>;
  reputationOf?: (anchorId: string, corridorId: string) => QuoteReputation;
  logger?: Logger;
  lookup?: LookupFn;
}

const noRecord: QuoteReputation = {
  score: null,
  state: 'insufficient_data',
  outcomes: 0,
  meanShortfall: null,
};

/** Directory, epochs and rates as compose.ts puts them together, over a real database and real sockets. */
export async function startRatesHarness(options: HarnessOptions): Promise<RatesHarness> {
  const { world = { now: Date.now() }, fxUrl, lookup, logger = silentLogger } = options;
  const clock = () => world.now;
  const random = () => 0.5;
  let ids = 0;
  const newId = () => `${process.pid}x${Date.now()}x${++ids}`.padEnd(24, '0');
  const connection = await connectMongo({ uri: options.uri });
  const outbound = createOutbound({ allow: options.allow, ...(lookup === undefined ? {} : { lookup }) });
  const fxOutbound = createOutbound({
    allow: [],
    trusted: fxUrl === undefined ? [] : [new URL(fxUrl).origin],
  });
  const epochs = createEpochs({ connection, random, logger });
  const directory = createAnchorDirectory({
    connection,
    fleet: parseFleet(JSON.stringify(options.fleet)),
    outbound: outbound.request,
    epochs,
    clock,
    random,
    logger,
    env: options.env ?? {},
    writeEvent: createWriteEvent({ connection, clock, newId }),
    inTransaction: createInTransaction(connection),
  });
  await prepareCollections(connection);
  await epochs.start();
  await directory.sync();
  const rates = createRates({
    directory,
    outbound: outbound.request,
    fxOutbound: fxOutbound.request,
    fxUrl,
    fxMaxAgeMs: 172_800_000,
    epochs,
    reputationOf: options.reputationOf ?? (() => noRecord),
    clock,
    random,
    logger,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  });
  return {
    world,
    connection,
    epochs,
    directory,
    rates,
    async close() {
      await epochs.stop();
      await outbound.close();
      await fxOutbound.close();
      await directory.stop();
      await connection.close();
    },
  };
}
