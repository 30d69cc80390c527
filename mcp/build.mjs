/**
 * Builds dist/fairlead-mcp.js: one file without dependencies, and the licences of what is in it.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('.', import.meta.url));
const { metafile, outputFiles } = await build({
  absWorkingDir: folder,
  entryPoints: ['main.ts'],
  outfile: 'dist/fairlead-mcp.js',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // Packages in CommonJS call require, which a module does not have.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
});
const inBundle = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
const folders = new Set(
  inBundle.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
);
const packages = [...folders].sort().map((path) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}${path}/package.json`, 'utf8'));
  return { path, name, version };
});

/** What a package asks to be passed on with it. */
function licenceOf({ path, name, version }) {
  const file = readdirSync(`${folder}${path}`).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file to pass on`);
  return `${name} ${version}\n\n${readFileSync(`${folder}${path}/${file}`, 'utf8').trim()}\n`;
}

rmSync(`${folder}dist`, { recursive: true, force: true });
mkdirSync(`${folder}dist`);
const [program] = outputFiles;
writeFileSync(program.path, program.contents);
chmodSync(program.path, 0o755);
const licences = packages.map(licenceOf);
writeFileSync(`${folder}dist/LICENSES.txt`, licences.join(`\n${'-'.repeat(80)}\n\n`));
