import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import swaggerUi, { type SwaggerUiOptions } from 'swagger-ui-express';
import { hashOf } from './negotiation.js';

const require = createRequire(import.meta.url);

/** What a plugin of Swagger UI is given, as far as it is used here. */
interface SwaggerSystem {
  React: { createElement(kind: unknown, props: object | null, ...children: unknown[]): unknown };
  getComponent(name: string, isContainer?: boolean): unknown;
}

/**
 * The page without a second main landmark, a choice of the one server and headings that skip a level, and without links
 * inside of buttons. Swagger UI gets it as text: nothing in it may refer to what is outside.
 */
function plainLayout({ React: { createElement: draw } }: SwaggerSystem) {
  // Functions as members would get names from the loader, by a helper that the browser does not have.
  return {
    components: Object.fromEntries([
      [
        'PlainLayout',
        ({ getComponent }: SwaggerSystem) =>
          draw(
            'div',
            { className: 'swagger-ui' },
            draw(getComponent('InfoContainer', true), null),
            draw(
              'div',
              { className: 'auth-wrapper' },
              draw(getComponent('AuthorizeBtnContainer', true), null),
            ),
            draw('h2', null, 'Operations'),
            draw(getComponent('operations', true), null),
            draw(getComponent('Webhooks', true), null),
          ),
      ],
    ]),
    wrapComponents: Object.fromEntries([
      ['DeepLink', () => (props: { text: unknown }) => draw('span', null, props.text)],
    ]),
  };
}

const options: SwaggerUiOptions = {
  customSiteTitle: 'Fairlead API',
  // All answers of an operation have the same headers, so only the first answer shows them.
  customCss: '.responses-table .response ~ .response .headers-wrapper { display: none }',
  swaggerUrl: '/docs/reference.json',
  swaggerOptions: {
    plugins: [plainLayout],
    layout: 'PlainLayout',
    deepLinking: true,
    // Otherwise the page would take the address of a document from its query string.
    queryConfigEnabled: false,
    // The default is a validator on the internet.
    validatorUrl: null,
    // The admin key stays in the memory of the page.
    persistAuthorization: false,
    displayRequestDuration: true,
    // The default writes numbers in a red that is hard to read on its dark grey.
    syntaxHighlight: { theme: 'tomorrow-night' },
  },
};

const versions = ['swagger-ui-dist', 'swagger-ui-express'].map(
  (name) => (require(`${name}/package.json`) as { version: string }).version,
);
const fingerprint = hashOf(JSON.stringify([versions, options, String(plainLayout)]));

/** Where the files of the page are served. It changes with their content, so that browsers may keep them for good. */
export const swaggerBase = `/docs/assets/${fingerprint}`;

const inlineStyle = /<style>([\s\S]*?)<\/style>/g;
const generated = swaggerUi.generateHTML(undefined, options);
// The security policy of the page allows no inline styles, so they are served as a file.
const inlineStyles = [...generated.matchAll(inlineStyle)].map(([, style]) => style).join('');
const page = generated
  .replaceAll('="./', `="${swaggerBase}/`)
  .replace(inlineStyle, '')
  .replace(/(<svg[^>]*) style="[^"]*"/, '$1 display="none"')
  .replace('</head>', `<link rel="stylesheet" href="${swaggerBase}/page.css"></head>`);

const ofDist = (name: string) => () => readFileSync(require.resolve(`swagger-ui-dist/${name}`));

/** What the page loads, by name, and how it is read. */
export const swaggerFiles: Readonly<Record<string, () => string | Buffer>> = {
  'page.css': () => inlineStyles,
  'swagger-ui.css': ofDist('swagger-ui.css'),
  'swagger-ui-bundle.js': ofDist('swagger-ui-bundle.js'),
  'swagger-ui-standalone-preset.js': ofDist('swagger-ui-standalone-preset.js'),
  'favicon-32x32.png': ofDist('favicon-32x32.png'),
  'favicon-16x16.png': ofDist('favicon-16x16.png'),
};

/** The script that starts Swagger UI with the options: `swagger-ui-init.js`. */
export const swaggerScript = swaggerUi.serve;

/** The page of Swagger UI, in the built web page with the links to the rest of the documentation, if that was built. */
export function swaggerHtml(shell: string | undefined, docsLinks: string): string {
  if (shell === undefined) return page;
  const links = [...page.matchAll(/<link rel="stylesheet"[^>]*>/g)].join('');
  const [, body = ''] = /<body>([\s\S]*)<\/body>/.exec(page) ?? [];
  // Before the styles of the header, which overrule them.
  return shell
    .replace('<head>', () => `<head>${links}`)
    .replace('</body>', () => `<div class="docs"><main lang="en">${body}</main>${docsLinks}</div></body>`);
}
