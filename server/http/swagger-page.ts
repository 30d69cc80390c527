import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const options = {
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // Otherwise the page would take the address of a document from its query string.
  queryConfigEnabled: false,
  // The default is a validator on the internet.
  validatorUrl: null,
  // The admin key stays in the memory of the page.
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // The default writes numbers in a red that is hard to read on its dark grey.
  syntaxHighlight: { theme: 'tomorrow-night' },
};
const script = `window.ui = SwaggerUIBundle(${JSON.stringify(options)});\n`;

/** All answers of an operation have the same headers, so only the first answer shows them. */
const styles = '.responses-table .response ~ .response .headers-wrapper { display: none }\n';

const { version } = require('swagger-ui-dist/package.json') as { version: string };
const fingerprint = createHash('sha256')
  .update(version + script + styles)
  .digest('hex')
  .slice(0, 16);

/** Where the files of the page are served. It changes with their content, so that browsers may keep them for good. */
export const swaggerBase = `/docs/assets/${fingerprint}`;

/** What the page loads, by name, and how it is read. */
export const swaggerFiles: Readonly<Record<string, () => string | Buffer>> = {
  'swagger-ui.css': () => readFileSync(require.resolve('swagger-ui-dist/swagger-ui.css')),
  'index.css': () => readFileSync(require.resolve('swagger-ui-dist/index.css'), 'utf8') + styles,
  'swagger-ui-bundle.js': () => readFileSync(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  'start.js': () => script,
  'favicon-32x32.png': () => readFileSync(require.resolve('swagger-ui-dist/favicon-32x32.png')),
};

/** What stands for the header of the web page where that was not built. */
const bare = `<!doctype html><html lang="en">
  <head>
    <meta charset="utf-8"><title>Fairlead API</title>
    <link rel="icon" href="${swaggerBase}/favicon-32x32.png">
  </head>
  <body></body>
</html>
`;

/** The page of Swagger UI, with the header of the web page in `pageFolder`, if that was built. */
export function swaggerHtml(pageFolder: URL | undefined): string {
  const built = pageFolder && new URL('docs.html', pageFolder);
  const html = built && existsSync(built) ? readFileSync(built, 'utf8') : bare;
  const load = (ending: string, element: (address: string) => string) =>
    Object.keys(swaggerFiles)
      .filter((name) => name.endsWith(ending))
      .map((name) => element(`${swaggerBase}/${name}`))
      .join('');
  // Before the styles of the header, which overrule them.
  const links = load('.css', (address) => `<link rel="stylesheet" href="${address}">`);
  const scripts = load('.js', (address) => `<script defer src="${address}"></script>`);
  return html
    .replace('<head>', `<head>${links}`)
    .replace('</body>', `<div id="swagger-ui"></div>${scripts}</body>`);
}
