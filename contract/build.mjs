/**
 * Builds the package into dist/: ES modules, one per source, so that a bundler can leave out what is not imported, and
 * CommonJS, which takes in the packages that exist as ES modules only. The declarations are the same in both, each beside
 * its modules: those that an entry leads to.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
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

/** The declarations have the descriptions; the modules keep what bundlers read. */
const comments = { legal: true, annotation: true, jsdoc: false };

function bundle(external, output) {
  return build({
    cwd: folder,
    input: entries,
    external,
    platform: 'neutral',
    transform: { target: 'es2022' },
    output: { comments, ...output },
    logLevel: 'warn',
  });
}

/** The declarations that these lead to, themselves included. */
function reachable(paths, reached = new Set()) {
  for (const path of paths) {
    if (reached.has(path)) continue;
    reached.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(/(?:from |import\()["'](\.[^"']+)\.js["']/g);
    reachable(
      [...imports].map(([, to]) => join(dirname(path), `${to}.d.ts`)),
      reached,
    );
  }
  return reached;
}

rmSync(join(folder, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', folder], { stdio: 'inherit' });
await bundle(/^[^./]/, { dir: esm, format: 'esm', preserveModules: true, preserveModulesRoot: folder });
await bundle(requirable, { dir: cjs, format: 'cjs', esModule: true, chunkFileNames: 'chunks/[name].js' });

const declared = reachable(Object.keys(entries).map((name) => join(esm, `${name}.d.ts`)));
for (const name of readdirSync(esm, { recursive: true })) {
  const path = join(esm, name);
  if (!path.endsWith('.d.ts')) continue;
  if (declared.has(path)) cpSync(path, join(cjs, name));
  else rmSync(path);
}
writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n');
