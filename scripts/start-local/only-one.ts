import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '../mongod/processes.js';
import { CannotStart } from './cannot-start.js';

/**
 * Claims a data folder for this process, so that a second start on it is refused rather than taking the database
 * from under the first. A claim whose process has died is void.
 * @throws CannotStart, that names the process in possession.
 */
export async function claimFolder(folder: string): Promise<{ stop(): Promise<void> }> {
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
