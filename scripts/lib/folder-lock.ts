import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';

/**
 * Runs `work` while no other process runs what it does in this folder. A lock whose holder has died is taken over after
 * ten seconds. It saves work that would be done twice; a result has to be right without it, too.
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true });
  const release = await lock(folder, {
    lockfilePath: join(folder, 'work.lock'),
    stale: 10_000,
    retries: { forever: true, factor: 1, minTimeout: 200, maxTimeout: 200 },
    onCompromised: () => undefined,
  });
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}
