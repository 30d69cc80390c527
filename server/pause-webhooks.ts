/**
 * Disables every webhook, as an admin would: `node dist/server/pause-webhooks.js`. To be run on a restored database before
 * any instance is started, since subscriptions that were deleted after the backup are back. Lists those that were
 * enabled; their events are held until each is enabled by `PATCH /api/admin/webhooks/{id}`. Reads MONGODB_URI and
 * MONGODB_DATABASE. Ends with 0, or with 2 where it could not be done. It takes no arguments, and does nothing if it gets
 * one.
 */
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { createWebhookStore } from './features/webhooks/store.js';
import { readDatabaseTime } from './mongo/database-clock.js';
import { onDatabase, runCommand } from './operator-command.js';

async function pauseWebhooks(connection: Connection): Promise<number> {
  const paused = await createWebhookStore(connection).disableAll(await readDatabaseTime(connection));
  const listed = paused.map(({ _id, url, createdAt }) => ({ id: _id, url, createdAt }));
  process.stdout.write(`${JSON.stringify({ paused: listed }, null, 2)}\n`);
  return 0;
}

runCommand(async () => {
  // Refuses any, so that `--help` or `--dry-run` pauses nothing.
  parseArgs({ options: {} });
  return onDatabase(pauseWebhooks);
});
