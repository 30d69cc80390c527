/**
 * Prepares the database for this release, before its first instance starts: `node dist/server/migrate.js`, with the
 * configuration of the service. Creates missing collections, indexes and leases, encrypts webhook secrets that are
 * stored in the clear, and prints what it did. It only adds, so that instances of this release and of the one before
 * may run beside it, and a second run changes nothing. Exits with 0, or with 2 if the command failed. It takes no
 * arguments, and does nothing if it gets one.
 */
import { parseArgs } from 'node:util';
import { type Config, readConfig } from './config.js';
import { createLifecycle } from './lifecycle.js';
import { silentLogger } from './logger.js';
import { openService, realWorld } from './main.js';
import { listCollections } from './mongo/models.js';
import { runCommand } from './operator-command.js';
import type { Logger } from './ports.js';

/** Standard output has only the report; warnings and errors go to standard error. */
const logger: Logger = {
  ...silentLogger,
  warn: (_fields, message) => void process.stderr.write(`${message}\n`),
  error: (_fields, message) => void process.stderr.write(`${message}\n`),
};

async function migrate(config: Config): Promise<number> {
  const lifecycle = createLifecycle({ logger });
  // This program serves no page.
  const world = { ...realWorld(config), logger, pageFolder: undefined };
  try {
    const opened = await openService(config, world, { lifecycle });
    const { service, connection, patiently } = opened;
    const before = await patiently(() => listCollections(connection));
    const prepared = await patiently(service.prepareDatabase);
    const after = await patiently(() => listCollections(connection));
    const report = {
      database: connection.name,
      created: {
        collections: addedTo(before.collections, after.collections),
        indexes: addedTo(before.indexes, after.indexes),
        leases: prepared.leases,
      },
      sealedWebhooks: prepared.sealedWebhooks,
    };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return 0;
  } finally {
    // The caller gets the result of the migration; errors of the stop are on standard error.
    await lifecycle.stop().catch(() => undefined);
  }
}

function addedTo(before: readonly string[], after: readonly string[]): string[] {
  return after.filter((name) => !before.includes(name)).sort();
}

runCommand(async () => {
  // Refuses any argument, so that `--help` or `--dry-run` changes nothing.
  parseArgs({ options: {} });
  return migrate(readConfig(process.env));
});
