/**
 * Brings the database in order for this release, before its first instance starts: `node dist/server/migrate.js`, with the
 * configuration of the service. Creates what is missing of collections, indexes and leases, encrypts secrets of webhooks
 * that are stored in the clear, and prints what it did. It only adds, so that instances of this release and of the one
 * before may run beside it, and a second run changes nothing. Ends with 0, or with 2 where it could not be done. It takes no
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
import { noTracing } from './tracing/tracing.js';

/** What is printed of it is the report; on standard error, what somebody might have to know besides. */
const logger: Logger = {
  ...silentLogger,
  warn: (_fields, message) => void process.stderr.write(`${message}\n`),
  error: (_fields, message) => void process.stderr.write(`${message}\n`),
};

async function migrate(config: Config): Promise<number> {
  const lifecycle = createLifecycle({ logger });
  // It serves no page.
  const world = { ...realWorld(config), logger, pageFolder: undefined };
  try {
    const opened = await openService(config, world, { lifecycle, tracing: noTracing });
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
    // What could not be stopped is on standard error; how the migration ended is what the caller has to know.
    await lifecycle.stop().catch(() => undefined);
  }
}

function addedTo(before: readonly string[], after: readonly string[]): string[] {
  return after.filter((name) => !before.includes(name)).sort();
}

runCommand(async () => {
  // Refuses any, so that `--help` or `--dry-run` changes nothing.
  parseArgs({ options: {} });
  return migrate(readConfig(process.env));
});
