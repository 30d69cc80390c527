import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { examples } from '../contract/examples/index.js';
import * as exported from '../contract/index.js';
import { errorCodesPage } from './openapi/answers.js';
import { clientDocument } from './openapi/client-document.js';
import { buildDocument } from './openapi/document.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Each generated file and what it should hold now. */
export function generatedFiles(): { path: string; text: string }[] {
  const { version }: { version: string } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const document = buildDocument(exported.contract, examples, exported, { version });
  return [
    { path: `${root}docs/openapi.json`, text: `${JSON.stringify(document, null, 2)}\n` },
    {
      path: `${root}docs/openapi.client.json`,
      text: `${JSON.stringify(clientDocument(document), null, 2)}\n`,
    },
    { path: `${root}docs/error-codes.md`, text: errorCodesPage(exported.contract) },
  ];
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
      'docs/openapi.json, docs/openapi.client.json and docs/error-codes.md agree with the contract',
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
