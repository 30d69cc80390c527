import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface Compiled {
  /** The compiled file of a program, which is named without ending from the root of the project. */
  fileOf(program: string): string;
  folder: string;
  remove(): Promise<void>;
}

/**
 * The files that the service reads besides its own TypeScript, as in `npm run build`. Older releases have fewer of them, and
 * some checkouts have not built the page.
 */
const copied = ['docs', 'web/dist'];

const thisCheckout = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Contract, server and scripts as plain JavaScript, file by file as `npm run build` makes them, in milliseconds. For
 * programs that are measured or started often: tsx wraps every function to keep its name, and reads every file again.
 * Not in dist/, which may be in use.
 * @param root of another checkout; this one where absent
 */
export async function compile({
  name,
  root = thisCheckout,
}: {
  name: string;
  root?: string;
}): Promise<Compiled> {
  const folder = join(root, '.cache', `${name}-${process.pid}`);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
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
    for (const file of copied.filter((one) => existsSync(join(root, one)))) {
      await cp(join(root, file), join(folder, file), { recursive: true });
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    fileOf: (program) => join(folder, `${program}.js`),
    folder,
    remove,
  };
}

/** The flags of Node that docs/operations/deploy.md names for production. */
export const productionFlags = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=40',
  '--no-allocation-site-pretenuring',
] as const;
