import type { Connection } from 'mongoose';
import type { Leases } from './mongo/leases.js';
import { prepareCollections } from './mongo/models.js';
import type { Logger } from './ports.js';

/** The parts of the service that have something to do in the database before the service of a release runs on it. */
export interface DatabaseParts {
  /** Every store has defined its models on it. */
  connection: Connection;
  leases: Pick<Leases, 'seed'>;
  leaseNames: readonly string[];
  webhooks: { sealSecrets(): Promise<number> };
  logger: Logger;
}

/** The parts of the service that have something to do before the first request. */
export interface BootParts extends DatabaseParts {
  cacheVersions: { poll(): Promise<void> };
  directory: { sync(): Promise<void> };
  reputation: { loadQuoteReputations(): Promise<void> };
}

/** What was not there before. */
export interface Prepared {
  leases: string[];
  /** How many webhooks had secrets that were stored before there was a WEBHOOK_KEY, and are encrypted now. */
  sealedWebhooks: number;
}

/**
 * Brings a database in order for this release: everything but the fleet, which is configuration. Only adds, so that it may
 * be done beside running instances, and at the same time by any number of them.
 */
export async function prepareDatabase(parts: DatabaseParts): Promise<Prepared> {
  await prepareCollections(parts.connection, (collection) =>
    parts.logger.warn({ collection }, `indexes of ${collection} are being built; waiting for them`),
  );
  return {
    leases: await parts.leases.seed(parts.leaseNames),
    sealedWebhooks: await parts.webhooks.sealSecrets(),
  };
}

/** What is done once, before anything is served or started. Any number of instances may do it at the same time. */
export async function boot(parts: BootParts): Promise<void> {
  await prepareDatabase(parts);
  await parts.cacheVersions.poll();
  // The fleet file is brought into the database; an anchor not seen before is announced as an event.
  await parts.directory.sync();
  // Rates that were answered without the records would be kept, and rank the anchors without them.
  await parts.reputation.loadQuoteReputations();
}
