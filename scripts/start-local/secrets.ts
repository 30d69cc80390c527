import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CannotStart } from './cannot-start.js';

const kept = z.object({
  ADMIN_SECRET_KEY: z.string().min(24),
  CRON_SECRET: z.string().min(24),
  /** AES-256, 64 hex digits. */
  WEBHOOK_KEY: z.string().regex(/^[0-9a-f]{64}$/),
  /** Ed25519 seed, 64 hex digits. */
  PUBLISHER_SECRET_KEY: z.string().regex(/^[0-9a-f]{64}$/),
});

type LocalSecrets = z.infer<typeof kept>;

/** What is missing is made anew. */
function completed(found: Partial<LocalSecrets>): LocalSecrets {
  return {
    ADMIN_SECRET_KEY: `admin_${randomBytes(24).toString('base64url')}`,
    CRON_SECRET: `cron_${randomBytes(24).toString('base64url')}`,
    WEBHOOK_KEY: randomBytes(32).toString('hex'),
    PUBLISHER_SECRET_KEY: randomBytes(32).toString('hex'),
    ...found,
  };
}

/**
 * The secrets of a service on this machine: from the environment, else from `secrets.json` in the folder, else made
 * now and kept there, readable by its owner alone. Without keeping them, webhook secrets in the database and the
 * publisher's identity would be lost with every stop.
 * @throws CannotStart, naming the file when it is not of this form.
 */
export async function localSecrets(folder: string, env: NodeJS.ProcessEnv): Promise<LocalSecrets> {
  const file = join(folder, 'secrets.json');
  const complete = completed(await readKept(file));
  await writeFile(file, `${JSON.stringify(complete, null, 2)}\n`, { mode: 0o600 });
  // The mode above holds for a new file only.
  await chmod(file, 0o600);
  return {
    ADMIN_SECRET_KEY: env.ADMIN_SECRET_KEY || complete.ADMIN_SECRET_KEY,
    CRON_SECRET: env.CRON_SECRET || complete.CRON_SECRET,
    WEBHOOK_KEY: env.WEBHOOK_KEY || complete.WEBHOOK_KEY,
    PUBLISHER_SECRET_KEY: env.PUBLISHER_SECRET_KEY || complete.PUBLISHER_SECRET_KEY,
  };
}

async function readKept(file: string): Promise<Partial<LocalSecrets>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  try {
    return kept.parse(JSON.parse(text));
  } catch {
    // What is wrong inside is not repeated: it is a file of secrets.
    throw new CannotStart(`${file} does not hold the secrets of an earlier start: mend it or move it away.`);
  }
}
