import * as exported from '../contract/index.js';
import { type Page, readPages } from '../server/http/docs-texts.js';
import { presentDocument } from './emit-openapi.js';
import { withSamples } from './openapi/code-samples.js';
import { clientDocument } from './openapi/document.js';
import { errorCodeFiles, errorPage, llmsText } from './openapi/texts.js';
import { clientFiles } from './typed-client/files.js';

/** Each file that is generated and not committed, by its path in the repository. `.gitignore` lists the same. */
export function generatedFiles(): { path: string; text: string }[] {
  const document = presentDocument();
  const errors = errorPage();
  const pages = readPages(new URL('../docs/', import.meta.url)).filter(({ path }) => path !== errors.path);
  return [
    {
      path: 'docs/openapi.client.json',
      text: `${JSON.stringify(clientDocument(document), null, 2)}\n`,
    },
    {
      path: 'docs/reference.json',
      text: `${JSON.stringify(withSamples(document), null, 2)}\n`,
    },
    { path: `docs/${errors.path}`, text: errors.text },
    { path: 'docs/llms.txt', text: llmsText(document, [errors, ...pages].sort(byPath)) },
    ...clientFiles(exported.contract, document, exported),
    ...errorCodeFiles(),
  ];
}

function byPath(a: Page, b: Page): number {
  return a.path < b.path ? -1 : 1;
}
