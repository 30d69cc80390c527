import { cp, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Compiled {
  /** The file of a program named without ending from the root of the project. */
  fileOf(program: string): string;
  remove(): Promise<void>;
}

/**
 * Contract, server and scripts as plain JavaScript, file by file as `npm run build` makes them. Not run through tsx: it
 * wraps every function to keep its name, which a measurement would count as ours. Not in dist/, which may be in use.
 */
export async function compile(): Promise<Compiled> {
  const folder = join(root, '.cache', `bench-${process.pid}`);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await compileInto(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    fileOf(program) {
      const file = join(folder, `${program}.js`);
      if (relative(folder, file).startsWith('..')) throw new Error(`${program} lies outside the project`);
      return file;
    },
    remove,
  };
}

async function compileInto(folder: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ['contract/**/*.ts', 'server/**/*.ts', 'scripts/**/*.ts'],
    outbase: root,
    outdir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'error',
  });
  await cp(join(root, 'docs/openapi.json'), join(folder, 'docs/openapi.json'));
}
