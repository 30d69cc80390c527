import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { withFolderLock } from './folder-lock.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
/** Written when a build is complete. Vite empties the folder first, so that one that was broken off leaves none. */
const stampFile = 'web/dist/.complete';
/** What the page is made of: its own files, the contract, and the packages of both. */
const sources = ['web', 'contract', 'package-lock.json'];
const notSources = new Set(['dist', 'node_modules']);
const timeoutMs = 120_000;

export class PageNotBuilt extends Error {
  override readonly name = 'PageNotBuilt';
}

/**
 * Builds the web page for the local service if it is missing or older than its inputs.
 * @throws PageNotBuilt with Vite's output.
 */
export async function buildPageIfStale(say: (line: string) => void, root = repository): Promise<void> {
  if (isFresh(root)) return;
  await withFolderLock(join(root, '.cache/page'), async () => {
    // Another process may have built it while this one waited for the lock.
    if (isFresh(root)) return;
    const stamp = join(root, stampFile);
    say(
      `Building the web page, ${existsSync(stamp) ? 'whose sources have changed' : 'which is not built yet'} …`,
    );
    rmSync(stamp, { force: true });
    const startedAt = new Date();
    const { failed, all } = await execa('npm', ['run', 'build', '-w', 'web', '--', '--logLevel', 'warn'], {
      cwd: root,
      // The page uses the service that serves it, whatever a build for another host is set to.
      env: { FAIRLEAD_SERVICE_URL: '' },
      timeout: timeoutMs,
      all: true,
      reject: false,
    });
    if (failed) throw new PageNotBuilt(`The web page cannot be built:\n${all}`);
    writeFileSync(stamp, '');
    // A change during the build is newer than the build.
    utimesSync(stamp, startedAt, startedAt);
  });
}

function isFresh(root: string): boolean {
  const builtMs = statSync(join(root, stampFile), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.every((name) => newestMs(join(root, name)) < builtMs);
}

/** When a file, or anything in a folder, was last changed; what was removed shows in the folder that held it. */
function newestMs(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const times = readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !notSources.has(name))
    .map((entry) => {
      const each = join(path, entry.name);
      const own = entry.isDirectory() ? statSync(each).mtimeMs : 0;
      return Math.max(own, newestMs(each));
    });
  return Math.max(0, ...times);
}
