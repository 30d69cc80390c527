/**
 * Disables every webhook, as an admin would: `node dist/server/pause-webhooks.js`. To be run on a restored database before
 * any instance is started, since subscriptions that were deleted after the backup are back. Lists those that were
 * enabled, and those that an admin or an earlier run had disabled, with the time; their events are held until each is
 * enabled by `PATCH /api/admin/webhooks/{id}`. Reads MONGODB_URI and MONGODB_DATABASE. Ends with 0, or with 2 where it
 * could not be done: then run it again. It takes no arguments, and does nothing if it gets one.
 */
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { createWebhookStore } from './features/webhooks/store.js';
import { readDatabaseTime } from './mongo/database-clock.js';
import { onDatabase, runCommand } from './operator-command.js';

async function pauseWebhooks(connection: Connection): Promise<number> {
  const store = createWebhookStore(connection);
  // An earlier run that heard too late that its write was stored has paused them without listing them.
  const before = await store.disabledByAdmin();
  const now = await store.disableAll(await readDatabaseTime(connection));
  const report = {
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

runCommand(async () => {
  // Refuses any, so that `--help` or `--dry-run` pauses nothing.
  parseArgs({ options: {} });
  return onDatabase(pauseWebhooks);
});
