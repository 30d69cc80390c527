import type { Connection } from 'mongoose';
import type { Leases } from './mongo/leases.js';
import { prepareCollections } from './mongo/models.js';

/** The parts of the service that have something to do before the first request. */
export interface BootParts {
  /** Every store has defined its models on it. */
  connection: Connection;
  leases: Pick<Leases, 'seed'>;
  leaseNames: readonly string[];
  webhooks: { sealSecrets(): Promise<void> };
  cacheVersions: { poll(): Promise<void> };
  directory: { sync(): Promise<void> };
}

/** What is done once, before anything is served or started. Any number of instances may do it at the same time. */
export async function boot(parts: BootParts): Promise<void> {
  await prepareCollections(parts.connection);
  await parts.leases.seed(parts.leaseNames);
  // Secrets that were stored before there was a WEBHOOK_KEY are encrypted.
  await parts.webhooks.sealSecrets();
  await parts.cacheVersions.poll();
  // The fleet file is brought into the database; an anchor not seen before is announced as an event.
  await parts.directory.sync();
}
