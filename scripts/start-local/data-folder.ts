import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readIfPresent, replaceFile } from '../lib/files.js';
import { commandLine } from '../mongod/processes.js';

/** The user can fix this; the message is all that they need to see. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/**
 * Claims a data folder for this process, so that a second start on it is refused before it can touch the database of
 * the first. By hand and not by proper-lockfile, which cannot tell who holds a lock and would make a start after a kill
 * wait until the old lock is stale.
 * @throws CannotStart, naming the process that holds the folder.
 */
export async function claimFolder(folder: string): Promise<{ stop(): Promise<void> }> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'start.pid');
  const owner = Number(await readFile(file, 'utf8').catch(() => ''));
  if (owner > 0 && owner !== process.pid && (await commandLine(owner)).includes('start-local')) {
    throw new CannotStart(
      `A service already runs on ${folder} (process ${owner}): stop it first, or name another folder: npm start -- --data <folder>`,
    );
  }
  await writeFile(file, `${process.pid}\n`);
  return { stop: () => rm(file, { force: true }) };
}

const secretText = (prefix: string) =>
  z
    .string()
    .min(24)
    .default(() => `${prefix}_${randomBytes(24).toString('base64url')}`);
const key = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .default(() => randomBytes(32).toString('hex'));

/** Missing ones are generated. */
const secretsFile = z.object({
  ADMIN_SECRET_KEY: secretText('admin'),
  CRON_SECRET: secretText('cron'),
  /** AES-256. */
  WEBHOOK_KEY: key,
  /** Ed25519 seed. */
  PUBLISHER_SECRET_KEY: key,
});

type LocalSecrets = z.infer<typeof secretsFile>;

/**
 * The secrets of the local service: from the environment, else from `secrets.json` in the folder, else generated and
 * kept there, readable by the owner only. If they were not kept, every stop would lose the webhook secrets in the
 * database and the publisher's identity.
 * @throws CannotStart, naming the file, when its content is not as expected.
 */
export async function localSecrets(folder: string, env: NodeJS.ProcessEnv): Promise<LocalSecrets> {
  const file = join(folder, 'secrets.json');
  const text = (await readIfPresent(file)) ?? '{}';
  let kept: LocalSecrets;
  try {
    kept = secretsFile.parse(JSON.parse(text));
  } catch {
    // The message does not quote the fault, because the file contains secrets.
    throw new CannotStart(`${file} does not hold the secrets of an earlier start: mend it or move it away.`);
  }
  await replaceFile(file, `${JSON.stringify(kept, null, 2)}\n`, 0o600);
  return {
    ADMIN_SECRET_KEY: env.ADMIN_SECRET_KEY || kept.ADMIN_SECRET_KEY,
    CRON_SECRET: env.CRON_SECRET || kept.CRON_SECRET,
    WEBHOOK_KEY: env.WEBHOOK_KEY || kept.WEBHOOK_KEY,
    PUBLISHER_SECRET_KEY: env.PUBLISHER_SECRET_KEY || kept.PUBLISHER_SECRET_KEY,
  };
}
