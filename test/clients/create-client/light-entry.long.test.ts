import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const mostGzipBytes = 5_000;

/** Bundles everything that the entry exports, as a front end ships it. */
async function bundle(entry: string) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild wrote nothing');
  return { gzipBytes: gzipSync(file.contents, { level: 9 }).byteLength, read: Object.keys(metafile.inputs) };
}

it('the light entry with all that it exports stays under 5,000 bytes of gzip, and reads its own folder only', async () => {
  const { gzipBytes, read } = await bundle('contract/client/index.ts');
  expect(gzipBytes).toBeLessThan(mostGzipBytes);
  expect(read.filter((path) => !path.startsWith('contract/client/'))).toEqual([]);
  expect(read.filter((path) => /validating|operator/.test(path))).toEqual([]);
});

it('the entry with validation is what that figure leaves out', async () => {
  const { gzipBytes } = await bundle('contract/client/validating/create-client.ts');
  expect(gzipBytes).toBeGreaterThan(mostGzipBytes);
});
