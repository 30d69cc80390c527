/**
 * Builds the package into dist/: ES modules, one file per source, by the compiler; CommonJS by a bundler, which takes in
 * the packages that exist as ES modules only. The declarations are the same in both, each beside its modules.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'rolldown';

const require = createRequire(import.meta.url);
const folder = import.meta.dirname;
const esm = join(folder, 'dist/esm');
const cjs = join(folder, 'dist/cjs');
/** The sources of the entries that package.json exports, by the name of their module in dist/. */
const entries = {
  index: 'index.ts',
  'client/index': 'client/index.ts',
  'offramp/index': 'offramp/index.ts',
};
/** Packages that can be required; every other one becomes part of the CommonJS modules. */
const requirable = [
  /^zod($|\/)/,
  /^@ts-rest\/core($|\/)/,
  /^smol-toml$/,
  /^decimal\.js$/,
  /^@stellar\/stellar-base$/,
];

rmSync(join(folder, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', folder], { stdio: 'inherit' });
await build({
  cwd: folder,
  input: entries,
  external: requirable,
  platform: 'neutral',
  transform: { target: 'es2022' },
  output: { dir: cjs, format: 'cjs', esModule: true, sourcemap: true, chunkFileNames: 'chunks/[name].js' },
  logLevel: 'warn',
});
cpSync(esm, cjs, { recursive: true, filter: (path) => !/\.js(\.map)?$/.test(path) });
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
