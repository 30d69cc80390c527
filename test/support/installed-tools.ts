import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { python3, runsHere } from './it-where.js';
import { cannotInstall, type Ended, runProgram } from './run-program.js';
import { goEnvironment, toolchainTimeoutMs } from './toolchains.js';

/**
 * The folder of a virtual environment, with its programs in bin, that has the packages that a requirements.txt pins, so that
 * nothing of this machine is used or changed; undefined where there is no Python 3 that can make one, or no registry.
 */
export async function pythonTools(name: string, requirements: URL): Promise<string | undefined> {
  if (!python3) return undefined;
  return cachedTool(name, [requirements], async (folder) => {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
    const packages = ['--only-binary', ':all:', '-r', 'requirements.txt'];
    const made = await runProgram('python3', ['-m', 'venv', folder]);
    if (made.status !== 0) return made;
    return runProgram(join(folder, 'bin/python'), [...pip, ...packages], {
      cwd: folder,
      timeoutMs: toolchainTimeoutMs,
    });
  });
}

/**
 * A program in Go, built once from its package in the versions of go.mod and go.sum; undefined where there is no Go, or no
 * registry of its modules. `pins` are these two and the sources beside them.
 */
export async function goTool(
  name: string,
  pins: readonly URL[],
  goPackage: string,
): Promise<string | undefined> {
  if (!runsHere('go', 'version')) return undefined;
  const folder = await cachedTool(name, pins, (folder) =>
    runProgram('go', ['build', '-o', join(folder, name), goPackage], {
      cwd: folder,
      env: goEnvironment(),
      timeoutMs: toolchainTimeoutMs,
    }),
  );
  return folder === undefined ? undefined : join(folder, name);
}

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));

/**
 * The folder in .cache in which a tool is installed; undefined where this machine cannot install it. The name changes with
 * the files that pin its versions, which are copied into it. An unfinished installation is started again.
 */
async function cachedTool(
  name: string,
  pins: readonly URL[],
  install: (folder: string) => Promise<Ended>,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  for (const pin of pins) hash.update(readFileSync(pin));
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const pin of pins) copyFileSync(pin, join(folder, basename(pin.pathname)));
  const { status, stdout, stderr } = await install(folder);
  if (status !== 0 && cannotInstall.test(stdout + stderr)) return undefined;
  if (status !== 0) throw new Error(`${name} was not installed: ${stdout}${stderr}`);
  writeFileSync(complete, '');
  return folder;
}
