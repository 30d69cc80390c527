import { parseArgs } from 'node:util';
import { type Config, readConfig } from '../config.js';
import { createLifecycle } from '../lifecycle.js';
import { silentLogger } from '../logger.js';
import { openService, realWorld } from '../main.js';
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
  guide: 'docs/operations/deploy.md, "The migration"',
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
    const { service, connection, patiently } = await openService(config, world, lifecycle);
    await patiently(service.prepareDatabase);
    return { report: { database: connection.name, prepared: true }, complete: true };
  } finally {
    // The caller gets the result of the migration; errors of the stop are on standard error.
    await lifecycle.stop().catch(() => undefined);
  }
}
