import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CannotStart } from './cannot-start.js';

const text = (prefix: string) =>
  z
    .string()
    .min(24)
    .default(() => `${prefix}_${randomBytes(24).toString('base64url')}`);
const key = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .default(() => randomBytes(32).toString('hex'));

/** What is missing is made anew. */
const kept = z.object({
  ADMIN_SECRET_KEY: text('admin'),
  CRON_SECRET: text('cron'),
  /** AES-256. */
  WEBHOOK_KEY: key,
  /** Ed25519 seed. */
  PUBLISHER_SECRET_KEY: key,
});

type LocalSecrets = z.infer<typeof kept>;

/**
 * The secrets of a service on this machine: from the environment, else from `secrets.json` in the folder, else made
 * now and kept there, readable by its owner alone. Without keeping them, webhook secrets in the database and the
 * publisher's identity would be lost with every stop.
 * @throws CannotStart, naming the file when it is not of this form.
 */
export async function localSecrets(folder: string, env: NodeJS.ProcessEnv): Promise<LocalSecrets> {
  const file = join(folder, 'secrets.json');
  const complete = await readKept(file);
  // By rename, so that a crash does not lose them, and so that the mode holds from the first byte.
  const beside = `${file}.${process.pid}.new`;
  await writeFile(beside, `${JSON.stringify(complete, null, 2)}\n`, { mode: 0o600 });
  await rename(beside, file);
  return {
    ADMIN_SECRET_KEY: env.ADMIN_SECRET_KEY || complete.ADMIN_SECRET_KEY,
    CRON_SECRET: env.CRON_SECRET || complete.CRON_SECRET,
    WEBHOOK_KEY: env.WEBHOOK_KEY || complete.WEBHOOK_KEY,
    PUBLISHER_SECRET_KEY: env.PUBLISHER_SECRET_KEY || complete.PUBLISHER_SECRET_KEY,
  };
}

async function readKept(file: string): Promise<LocalSecrets> {
  let json = '{}';
  try {
    json = await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  try {
    return kept.parse(JSON.parse(json));
  } catch {
    // What is wrong inside is not repeated: it is a file of secrets.
    throw new CannotStart(`${file} does not hold the secrets of an earlier start: mend it or move it away.`);
  }
}
