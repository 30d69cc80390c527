import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { type Config, readConfig } from '../config.js';
import { createOutcomeStore } from '../features/intents/outcome-store.js';
import { markEveryDay } from '../features/reputation/count-days.js';
import { createMarkStore, createRollupStore } from '../features/reputation/day-store.js';
import { createLifecycle } from '../lifecycle.js';
import { silentLogger } from '../logger.js';
import { openService, realWorld } from '../main.js';
import type { Logger } from '../ports.js';
import { createWebhookStore } from '../webhooks/webhook-store.js';
import { type Command, onServiceDatabase, type Result } from './command.js';

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

export const rebuild: Command = {
  usage: '',
  does: 'Marks every day of outcomes, so that the refreshes of the service count all of them anew.',
  guide: 'docs/operations/run.md, "Commands"',
  run(args) {
    parseArgs({ args, options: {} });
    return onServiceDatabase(async (connection) => {
      const days = await markEveryDay({
        marks: createMarkStore(connection),
        rollups: createRollupStore(connection),
        outcomes: createOutcomeStore(connection),
      });
      return { report: { days }, complete: true };
    });
  },
};

export const pauseWebhooks: Command = {
  usage: '',
  does: 'Disables every webhook, as an admin would.',
  guide: 'docs/operations/run.md, "Restoring"',
  run(args) {
    parseArgs({ args, options: {} });
    return onServiceDatabase(pauseAll);
  },
};

async function pauseAll(connection: Connection): Promise<Result> {
  const at = new Date();
  const all = await createWebhookStore(connection).disableAll(at);
  const isNew = ({ disabled }: (typeof all)[number]) => disabled?.at.getTime() === at.getTime();
  const report = {
    paused: all.filter(isNew).map(({ _id, url, createdAt }) => ({ id: _id, url, createdAt })),
    // An earlier run whose write was stored but confirmed too late has paused webhooks without listing them.
    pausedBefore: all
      .filter((webhook) => !isNew(webhook))
      .map(({ _id, url, createdAt, disabled }) => ({ id: _id, url, createdAt, pausedAt: disabled?.at })),
  };
  return { report, complete: true };
}

/** Standard output has only the report; warnings and errors go to standard error. */
const logger: Logger = {
  ...silentLogger,
  warn: (_fields, message) => void process.stderr.write(`${message}\n`),
  error: (_fields, message) => void process.stderr.write(`${message}\n`),
};
