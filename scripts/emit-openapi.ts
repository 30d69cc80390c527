import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { examples } from '../contract/examples/index.js';
import * as exported from '../contract/index.js';
import { errorCodesPage } from './openapi/answers.js';
import { clientDocument } from './openapi/client-document.js';
import { buildDocument } from './openapi/document.js';
import { llmsText, type Page } from './openapi/llms-text.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Each generated file and what it should hold now. */
export function generatedFiles(): { path: string; text: string }[] {
  const { version }: { version: string } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const document = buildDocument(exported.contract, examples, exported, { version });
  const errorCodes = { path: 'error-codes.md', text: errorCodesPage(exported.contract) };
  return [
    { path: `${root}docs/openapi.json`, text: `${JSON.stringify(document, null, 2)}\n` },
    {
      path: `${root}docs/openapi.client.json`,
      text: `${JSON.stringify(clientDocument(document), null, 2)}\n`,
    },
    { path: `${root}docs/${errorCodes.path}`, text: errorCodes.text },
    { path: `${root}docs/llms.txt`, text: llmsText(document, [errorCodes, ...writtenPages()].sort(byPath)) },
  ];
}

/** The pages of docs/ that are written by hand, without the decisions. */
function writtenPages(): Page[] {
  return readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('adr') && path !== 'error-codes.md')
    .map((path) => ({ path, text: readFileSync(`${root}docs/${path}`, 'utf8') }));
}

function byPath(a: Page, b: Page): number {
  return a.path < b.path ? -1 : 1;
}

/** The generated files that are not what the contract says now. */
export function staleFiles(): string[] {
  return generatedFiles()
    .filter(({ path, text }) => readOrEmpty(path) !== text)
    .map(({ path }) => relative(root, path));
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
  for (const { path, text } of generatedFiles()) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${relative(root, path)}`);
  }
}

function check(): void {
  const stale = staleFiles();
  if (stale.length === 0) {
    console.log(
      'docs/openapi.json, openapi.client.json, error-codes.md and llms.txt agree with the contract and the pages',
    );
    return;
  }
  console.error(`out of date: ${stale.join(', ')}; run \`npm run openapi\` and commit the result`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--check')) check();
  else write();
}
