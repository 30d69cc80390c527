import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { examples } from '../contract/examples/index.js';
import * as exported from '../contract/index.js';
import { type Page, readPages } from '../server/http/docs-texts.js';
import { isMain } from '../server/is-main.js';
import { clientDocument } from './openapi/client-document.js';
import { buildDocument, type OpenApiDocument } from './openapi/document.js';
import { errorCodeFiles } from './openapi/error-code-files.js';
import { errorPage } from './openapi/error-page.js';
import { llmsText } from './openapi/llms-text.js';
import { clientFiles, generatedFolders } from './typed-client/files.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const clientRoot = join(root, 'contract/client');
const clientDocumentPath = join(root, 'docs/openapi.client.json');

/** The document of the present contract. */
export function presentDocument(): OpenApiDocument {
  const { version }: { version: string } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  return buildDocument(exported.contract, examples, exported, { version });
}

/** Each generated file and its expected content. */
export function generatedFiles(): { path: string; text: string }[] {
  const document = presentDocument();
  const errors = errorPage();
  return [
    { path: `${root}docs/openapi.json`, text: `${JSON.stringify(document, null, 2)}\n` },
    {
      path: clientDocumentPath,
      text: `${JSON.stringify(clientDocument(document), null, 2)}\n`,
    },
    { path: `${root}docs/${errors.path}`, text: errors.text },
    { path: `${root}docs/llms.txt`, text: llmsText(document, [errors, ...writtenPages()].sort(byPath)) },
    ...clientFiles(exported.contract, document, exported).map(({ path, text }) => ({
      path: join(clientRoot, path),
      text,
    })),
    ...errorCodeFiles().map(({ path, text }) => ({ path: `${root}${path}`, text })),
  ];
}

/** The served pages of docs/ that are written by hand. */
function writtenPages(): Page[] {
  return readPages(new URL('../docs/', import.meta.url)).filter(({ path }) => path !== 'errors.md');
}

function byPath(a: Page, b: Page): number {
  return a.path < b.path ? -1 : 1;
}

/** The generated files that are not what the contract and the pages say now, and those that are left over. */
export function staleFiles(): string[] {
  const files = generatedFiles();
  const changed = files.filter(({ path, text }) => readOrEmpty(path) !== text).map(({ path }) => path);
  return [...changed, ...leftOver(files)].map((path) => relative(root, path));
}

/** Files of the client's generated folders that are generated no more. */
function leftOver(files: readonly { path: string }[]): string[] {
  const wanted = new Set(files.map(({ path }) => path));
  return generatedFolders
    .flatMap((folder) => filesIn(join(clientRoot, folder)))
    .filter((path) => !wanted.has(path));
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function write(): void {
  const files = generatedFiles();
  const clientDocumentBefore = readOrEmpty(clientDocumentPath);
  for (const { path, text } of files) {
    if (readOrEmpty(path) === text) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${relative(root, path)}`);
  }
  for (const path of leftOver(files)) {
    rmSync(path);
    console.log(`removed ${relative(root, path)}`);
  }
  if (readOrEmpty(clientDocumentPath) !== clientDocumentBefore) generateGoClient();
}

/** Runs the Go client's own generator, which needs Go and its module registry. A long test compares the result. */
function generateGoClient(): void {
  const { status } = spawnSync('go', ['generate', './...'], {
    cwd: join(root, 'clients/go'),
    stdio: 'inherit',
  });
  if (status === 0) {
    console.log('wrote clients/go/rest.gen.go');
    return;
  }
  console.error(
    'clients/go/rest.gen.go is out of date: run `go generate ./...` in clients/go, and commit the result',
  );
  process.exitCode = 1;
}

function check(): void {
  const stale = staleFiles();
  if (stale.length === 0) {
    console.log(
      'what is generated in docs/, contract/client/ and clients/ agrees with the contract and the pages',
    );
    return;
  }
  console.error(`out of date: ${stale.join(', ')}; run \`npm run openapi\` and commit the result`);
  process.exitCode = 1;
}

if (isMain(import.meta.url)) {
  if (process.argv.includes('--check')) check();
  else write();
}
