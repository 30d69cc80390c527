import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { withFolderLock } from './files.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = join(root, 'web/dist/index.html');
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
export async function buildPageIfStale(say: (line: string) => void): Promise<void> {
  if (isFresh()) return;
  await withFolderLock(join(root, '.cache/page'), async () => {
    // Another process may have built it while this one waited for the lock.
    if (isFresh()) return;
    say(
      `Building the web page, ${existsSync(built) ? 'whose sources have changed' : 'which is not built yet'} …`,
    );
    const { failed, all } = await execa('npm', ['run', 'build', '-w', 'web', '--', '--logLevel', 'warn'], {
      cwd: root,
      // The page uses the service that serves it, whatever a build for another host is set to.
      env: { FAIRLEAD_SERVICE_URL: '' },
      timeout: timeoutMs,
      all: true,
      reject: false,
    });
    if (failed) throw new PageNotBuilt(`The web page cannot be built:\n${all}`);
  });
}

function isFresh(): boolean {
  const builtMs = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.every((name) => newestMs(join(root, name)) < builtMs);
}

/** When a file, or the newest in a folder, was last changed. */
function newestMs(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const times = readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !notSources.has(name))
    .map((entry) => newestMs(join(path, entry.name)));
  return Math.max(0, ...times);
}
