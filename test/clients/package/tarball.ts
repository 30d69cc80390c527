import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lock } from 'proper-lockfile';
import { type Ended, runProgram } from '../../support/run-program.js';
import { testRun } from '../../support/test-run.js';

export const root = fileURLToPath(new URL('../../../', import.meta.url));
const noRegistry = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;
const lockPatience = { retries: 600, factor: 1, minTimeout: 500, maxTimeout: 500 };

/** The tarball that `npm pack` makes of the workspace, built once per run by the test file that needs it first. */
export async function packedTarball(): Promise<string> {
  const workshop = join(testRun.runDir, 'package');
  mkdirSync(workshop, { recursive: true });
  const release = await lock(workshop, { retries: lockPatience, stale: 300_000 });
  try {
    return tarballIn(workshop) ?? (await pack(workshop));
  } finally {
    await release();
  }
}

function tarballIn(folder: string): string | undefined {
  const name = readdirSync(folder).find((entry) => entry.endsWith('.tgz'));
  return name === undefined ? undefined : join(folder, name);
}

/** Packs a copy of the workspace, so that this build leaves nothing in the sources. */
async function pack(workshop: string): Promise<string> {
  const workspace = join(workshop, 'contract');
  const isBuilt = (path: string) => /\/(dist|node_modules)$/.test(path);
  cpSync(join(root, 'contract'), workspace, { recursive: true, filter: (path) => !isBuilt(path) });
  cpSync(join(root, 'tsconfig.json'), join(workshop, 'tsconfig.json'));
  if (!existsSync(join(workshop, 'node_modules')))
    symlinkSync(join(root, 'node_modules'), join(workshop, 'node_modules'));
  const built = await runProgram(process.execPath, ['build.mjs'], { cwd: workspace });
  if (built.status !== 0) throw new Error(`the build failed: ${built.stdout}${built.stderr}`);
  const packing = ['pack', '--ignore-scripts', '--pack-destination', workshop];
  const { status, stdout, stderr } = await npm(packing, workspace);
  const tarball = tarballIn(workshop);
  if (status !== 0 || tarball === undefined) throw new Error(`npm pack failed: ${stdout}${stderr}`);
  return tarball;
}

/**
 * A folder that contains only the package, installed from its tarball, and its dependencies. It is made once per run for
 * others to copy. Undefined where no registry can be reached.
 */
export async function installedPackage(): Promise<string | undefined> {
  const tarball = await packedTarball();
  const folder = join(testRun.runDir, 'installed');
  mkdirSync(folder, { recursive: true });
  const release = await lock(folder, { retries: lockPatience, stale: 300_000 });
  try {
    const isInstalled = existsSync(join(folder, 'package-lock.json'));
    if (isInstalled) return folder;
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    return (await installInto(folder, [tarball])) ? folder : undefined;
  } finally {
    await release();
  }
}

/** Installs the packages; false where no registry can be reached. */
export async function installInto(folder: string, packages: readonly string[]): Promise<boolean> {
  const { status, stderr } = await npm(
    ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages],
    folder,
  );
  if (status === 0) return true;
  if (isOffline(stderr)) return false;
  throw new Error(`npm install failed: ${stderr}`);
}

/** Whether npm failed because no registry can be reached. */
export function isOffline(stderr: string): boolean {
  return noRegistry.test(stderr);
}

/** npm without the settings of the npm and of the test runner that run these tests. */
export function npm(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$)/.test(name));
  return runProgram('npm', args, { cwd, env: { ...Object.fromEntries(inherited), ...env } });
}

/** The paths inside the tarball. */
export async function pathsIn(tarball: string): Promise<string[]> {
  const { stdout } = await runProgram('tar', ['-tzf', tarball]);
  return stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''));
}
