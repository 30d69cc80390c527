/**
 * Makes every file that a command can make and that is therefore not committed (scripts/generated-files.ts lists them).
 * `npm ci` does so, and each command that needs them, at once where nothing has changed since the last time. Two
 * processes may do it at the same time: they write the same, each file in one step.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const record = join(root, '.cache/generated.json');
/** What the files are made from. */
const sources = [
  'contract',
  'docs',
  'package.json',
  'package-lock.json',
  'scripts/emit-openapi.ts',
  'scripts/generate.mjs',
  'scripts/generated-files.ts',
  'scripts/openapi',
  'scripts/typed-client',
  'server/http/docs-texts.ts',
];
const notSources = /^contract\/(dist|node_modules|client\/generated)\/|^docs\/errors\.md$/;

const hashOf = (text) => createHash('sha256').update(text).digest('hex');

function filesIn(path) {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true })
    .map((name) => `${path}/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.(ts|md)$/.test(name) && !notSources.test(name))
    .sort();
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

/** The path of each file that was made from the same sources before; none if they were others. */
function madeBefore(key) {
  const { key: before, paths } = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {};
  return before === key ? paths : [];
}

async function generate(key) {
  const { tsImport } = await import('tsx/esm/api');
  const { generatedFiles } = await tsImport('./generated-files.ts', import.meta.url);
  const files = generatedFiles();
  for (const { path, text } of files) write(join(root, path), text);
  write(record, JSON.stringify({ key, paths: files.map(({ path }) => path) }));
}

const hashes = sources.flatMap(filesIn).map((path) => `${path} ${hashOf(readFileSync(join(root, path)))}`);
const key = hashOf(hashes.join('\n'));
const made = madeBefore(key);
if (made.length === 0 || !made.every((path) => existsSync(join(root, path)))) {
  try {
    await generate(key);
  } catch (error) {
    // `npm ci --omit=dev` installs what the compiled service runs with, which needs nothing of this.
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes("'tsx'")) throw error;
    console.log('nothing is generated, since the development packages are not installed');
  }
}
