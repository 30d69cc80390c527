import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export type Compiled = Awaited<ReturnType<typeof compile>>;

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Contract, server and scripts as plain JavaScript, file by file as `npm run build` makes them, in milliseconds, with the
 * other files that the service reads. For programs that are measured or started often: tsx wraps every function to
 * keep its name, and reads every file again. Not in dist/, which may be in use.
 */
export async function compile({ name }: { name: string }) {
  const folder = join(root, '.cache', `${name}-${process.pid}`);
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
  // Some checkouts have not built the page.
  for (const file of ['docs', 'web/dist'].filter((one) => existsSync(join(root, one))))
    await cp(join(root, file), join(folder, file), { recursive: true });
  return {
    /** The compiled file of a program, which is named without ending from the root of the project. */
    fileOf: (program: string) => join(folder, `${program}.js`),
    folder,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The flags of Node that docs/operations/deploy.md names for production. */
export const productionFlags = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=40',
  '--no-allocation-site-pretenuring',
] as const;
