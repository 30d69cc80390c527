import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { createWebhookStore } from '../webhooks/webhook-store.js';
import { type Command, onServiceDatabase, type Result } from './command.js';

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
  const store = createWebhookStore(connection);
  // An earlier run whose write was stored but confirmed too late has paused webhooks without listing them.
  const before = await store.disabledByAdmin();
  const now = await store.disableAll(new Date());
  const report = {
    paused: now.map(({ _id, url, createdAt }) => ({ id: _id, url, createdAt })),
    pausedBefore: before.map(({ _id, url, createdAt, disabled }) => ({
      id: _id,
      url,
      createdAt,
      pausedAt: disabled?.at,
    })),
  };
  return { report, complete: true };
}
