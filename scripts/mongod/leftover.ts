import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine, endProcess } from './processes.js';

/**
 * Ends the mongod that an earlier run left on this folder, if there is one: a run that was killed outright could
 * not stop it. A lock file without its process needs nothing, since mongod sees that and recovers by its journal.
 * @throws Error when it cannot be ended.
 */
export async function endLeftover(dbPath: string): Promise<void> {
  const pid = Number((await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => '')).trim());
  if (!Number.isInteger(pid) || pid <= 0) return;
  const command = await commandLine(pid);
  // The number may belong to another program by now.
  if (!(command.includes('mongod') && command.includes(dbPath))) return;
  if (!(await endProcess(pid, 20_000))) {
    throw new Error(
      `A mongod of an earlier run (process ${pid}) still holds ${dbPath}: end it, then start again.`,
    );
  }
}
