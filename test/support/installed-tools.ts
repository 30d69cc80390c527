import { join } from 'node:path';
import { cachedTool, runEach } from './cached-tool.js';
import { python3, runsHere } from './it-where.js';
import { runProgram } from './run-program.js';
import { goEnvironment, toolchainTimeoutMs } from './toolchains.js';

/**
 * The folder of a virtual environment, with its programs in bin, that has the packages that a requirements.txt pins, so that
 * nothing of this machine is used or changed; undefined where there is no Python 3 that can make one, or no registry.
 */
export async function pythonTools(name: string, requirements: URL): Promise<string | undefined> {
  if (!python3) return undefined;
  return cachedTool(name, [requirements], (folder) => {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps'];
    return runEach(
      [
        ['python3', '-m', 'venv', folder],
        [join(folder, 'bin/python'), ...pip, '--only-binary', ':all:', '-r', 'requirements.txt'],
      ],
      folder,
    );
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
