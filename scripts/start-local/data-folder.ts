import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, replaceFile } from '../lib/files.js';
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

const secretText = (prefix: string) => `${prefix}_${randomBytes(24).toString('base64url')}`;
const newKey = () => randomBytes(32).toString('hex');

/**
 * The secrets of the local service: from the environment, else from `secrets.json` in the folder, else generated and
 * kept there, readable by the owner only. If they were not kept, every stop would lose the webhook secrets in the
 * database and the publisher's identity.
 * @throws CannotStart, naming the file, when its content is not JSON.
 */
export async function localSecrets(folder: string, env: NodeJS.ProcessEnv) {
  const file = join(folder, 'secrets.json');
  const kept = await readJson<Record<string, string>>(file).catch(() => {
    // The message does not quote the fault, because the file contains secrets.
    throw new CannotStart(`${file} does not hold the secrets of an earlier start: mend it or move it away.`);
  });
  const secrets = {
    ADMIN_SECRET_KEY: secretText('admin'),
    CRON_SECRET: secretText('cron'),
    /** AES-256. */
    WEBHOOK_KEY: newKey(),
    /** Ed25519 seed. */
    PUBLISHER_SECRET_KEY: newKey(),
    ...kept,
  };
  await replaceFile(file, `${JSON.stringify(secrets, null, 2)}\n`, 0o600);
  const given = Object.entries(env).filter(([name, value]) => name in secrets && value);
  return { ...secrets, ...Object.fromEntries(given) };
}
