/**
 * Disables every webhook, as an admin would: `node dist/server/pause-webhooks.js`. Run it on a restored database before
 * any instance is started, since subscriptions that were deleted after the backup are back. Lists the webhooks that
 * were enabled, and those that an admin or an earlier run had disabled, with the time; their events are held until each
 * is enabled by `PATCH /api/admin/webhooks/{id}`. Reads MONGODB_URI and MONGODB_DATABASE. Exits with 0, or with 2 if
 * the command failed: then run it again. It takes no arguments, and does nothing if it gets one.
 */
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { createWebhookStore } from './features/webhooks/store.js';
import { readDatabaseTime } from './mongo/database-clock.js';
import { onServiceDatabase, runCommand } from './operator-command.js';

async function pauseWebhooks(connection: Connection): Promise<number> {
  const store = createWebhookStore(connection);
  // An earlier run whose write was stored but confirmed too late has paused webhooks without listing them.
  const before = await store.disabledByAdmin();
  const now = await store.disableAll(await readDatabaseTime(connection));
  const report = {
    database: connection.name,
    paused: now.map(({ _id, url, createdAt }) => ({ id: _id, url, createdAt })),
    pausedBefore: before.map(({ _id, url, createdAt, disabled }) => ({
      id: _id,
      url,
      createdAt,
      pausedAt: disabled?.at,
    })),
  };
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  return 0;
}

const hasWebhooks = (connection: Connection) => createWebhookStore(connection).collectionExists();

runCommand(async () => {
  // Refuses any argument, so that `--help` or `--dry-run` pauses nothing.
  parseArgs({ options: {} });
  return onServiceDatabase(hasWebhooks, pauseWebhooks);
});
