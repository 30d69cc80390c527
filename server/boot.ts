import type { Connection } from 'mongoose';
import type { Leases } from './mongo/leases.js';
import { prepareCollections } from './mongo/models.js';
import type { Logger } from './ports.js';

/** The parts of the service that prepare the database before a release runs on it. */
export interface DatabaseParts {
  /** The connection on which every store has defined its models. */
  connection: Connection;
  leases: Pick<Leases, 'seed'>;
  leaseNames: readonly string[];
  logger: Logger;
}

/** The parts of the service that have something to do before the first request. */
export interface BootParts extends DatabaseParts {
  clockCheck: { look(): Promise<void> };
  cacheEpoch: { poll(): Promise<void> };
  directory: { sync(): Promise<void> };
  reputation: { loadCards(): Promise<void> };
}

/** What the preparation has changed in the database. */
export interface Prepared {
  leases: string[];
}

/**
 * Prepares a database for this release, except for the fleet, which is configuration. It only adds, so it can run
 * beside running instances, and in any number of instances at the same time.
 */
export async function prepareDatabase(parts: DatabaseParts): Promise<Prepared> {
  await prepareCollections(parts.connection, (collection) =>
    parts.logger.warn({ collection }, `indexes of ${collection} are being built; waiting for them`),
  );
  return { leases: await parts.leases.seed(parts.leaseNames) };
}

/** Runs once per process, before anything is served or started. Any number of instances may boot at the same time. */
export async function boot(parts: BootParts): Promise<void> {
  await prepareDatabase(parts);
  await parts.clockCheck.look();
  await parts.cacheEpoch.poll();
  // Stores the fleet file in the database; an anchor not seen before is announced as an event.
  await parts.directory.sync();
  // Rates made before the reputation records are loaded would be cached, with anchors ranked without their records.
  await parts.reputation.loadCards();
}
