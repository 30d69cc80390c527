import { parseArgs } from 'node:util';
import { type Config, readConfig } from '../config.js';
import { createLifecycle } from '../lifecycle.js';
import { silentLogger } from '../logger.js';
import { openService, realWorld } from '../main.js';
import { listCollections } from '../mongo/models.js';
import type { Logger } from '../ports.js';
import type { Command, Result } from './command.js';

/** Standard output has only the report; warnings and errors go to standard error. */
const logger: Logger = {
  ...silentLogger,
  warn: (_fields, message) => void process.stderr.write(`${message}\n`),
  error: (_fields, message) => void process.stderr.write(`${message}\n`),
};

export const migrate: Command = {
  usage: '',
  does: 'Prepares the database before the first instance of a release starts.',
  details: `
Creates missing collections, indexes and leases, encrypts secrets of webhooks that are stored in the
clear, and prints what it did. It only adds, so it may run beside instances, and a second run changes
nothing. Reads the whole configuration of the service and the fleet file.
`,
  run(args) {
    parseArgs({ args, options: {} });
    return prepare(readConfig(process.env));
  },
};

async function prepare(config: Config): Promise<Result> {
  const lifecycle = createLifecycle({ logger });
  // This program serves no page.
  const world = { ...realWorld(config), logger, pageFolder: undefined };
  try {
    const { service, connection, patiently } = await openService(config, world, { lifecycle });
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
    };
    return { report, complete: true };
  } finally {
    // The caller gets the result of the migration; errors of the stop are on standard error.
    await lifecycle.stop().catch(() => undefined);
  }
}

function addedTo(before: readonly string[], after: readonly string[]): string[] {
  return after.filter((name) => !before.includes(name)).sort();
}
