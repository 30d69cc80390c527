import { readFileSync, writeFileSync } from 'node:fs';
import { examples } from '../contract/examples/index.js';
import * as exported from '../contract/index.js';
import { isMain } from '../server/process.js';
import { buildDocument, type OpenApiDocument } from './openapi/document.js';

const path = new URL('../docs/openapi.json', import.meta.url);

/** The document of the present contract. */
export function presentDocument(): OpenApiDocument {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(manifest);
  return buildDocument(exported.contract, examples, exported, { version });
}

/** The text of docs/openapi.json as the contract has it now. */
export function presentText(): string {
  return `${JSON.stringify(presentDocument(), null, 2)}\n`;
}

/** Whether the committed document is that of the contract. */
export function isUpToDate(): boolean {
  return readFileSync(path, 'utf8') === presentText();
}

if (isMain(import.meta.url)) {
  if (!process.argv.includes('--check')) writeFileSync(path, presentText());
  else if (!isUpToDate()) {
    console.error(
      'docs/openapi.json is not what the contract says: run `npm run openapi` and commit the result',
    );
    process.exitCode = 1;
  }
}
