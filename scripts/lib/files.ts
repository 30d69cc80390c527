import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lock } from 'proper-lockfile';

/** What `replaceFile` wrote as JSON before; undefined where there is no such file. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a temporary file beside it and renames it, so that a crash leaves the old content or the new. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}

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

export interface LastDemo {
  serviceUrl: string;
  intentHash: string;
  anchorId: string;
  /** `S…` of a wallet that was made for this one off-ramp and owns nothing. */
  secretKey: string;
}

const file = fileURLToPath(new URL('../../data/last-demo.json', import.meta.url));

/** Keeps what a later command needs to speak for the wallet of the latest demo. */
export async function keepLastDemo(demo: LastDemo): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await replaceFile(file, `${JSON.stringify(demo, null, 2)}\n`, 0o600);
}

/** The latest demo; undefined where there was none. */
export const readLastDemo = () => readJson<LastDemo>(file);
