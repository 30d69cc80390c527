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
function plugin({ React: { createElement: draw } }: SwaggerSystem) {
  const part = (of: SwaggerSystem, name: string) => draw(of.getComponent(name, true), null);
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null;
  return {
    components: {
      PlainLayout: (of: SwaggerSystem) =>
        draw(
          'div',
          { className: 'swagger-ui' },
          part(of, 'InfoContainer'),
          draw('div', { className: 'auth-wrapper' }, part(of, 'AuthorizeBtnContainer')),
          draw('h2', null, 'Operations'),
          part(of, 'operations'),
          part(of, 'Webhooks'),
        ),
    },
    wrapComponents: { DeepLink: () => (props: { text: unknown }) => draw('span', null, props.text) },
    fn: {
      /** Replaces references by what they refer to; Swagger UI's own way takes seconds of a processor for a document of 3.1. */
      resolveSubtree(document: unknown, path: readonly string[]) {
        const at = (keys: readonly string[]) =>
          keys.reduce((value, key) => (isObject(value) ? value[key] : undefined), document);
        const resolve = (value: unknown): unknown => {
          if (Array.isArray(value)) return value.map(resolve);
          if (!isObject(value)) return value;
          const { $ref, ...members } = value;
          const target = typeof $ref === 'string' ? resolve(at($ref.split('/').slice(1))) : {};
          const resolved = Object.entries(members).map(([key, each]) => [key, resolve(each)]);
          return Object.assign({}, target, Object.fromEntries(resolved));
        };
        return { errors: [], spec: resolve(at(path)) };
      },
    },
  };
}

const options: SwaggerUiOptions = {
  customSiteTitle: 'Fairlead API',
  // All answers of an operation have the same headers, so only the first answer shows them.
  customCss: '.responses-table .response ~ .response .headers-wrapper { display: none }',
  swaggerUrl: '/docs/reference.json',
  swaggerOptions: {
    plugins: [plugin],
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

/** Where the files of the page are served. It changes with their content, so that browsers may keep them for good. */
export const swaggerBase = `/docs/assets/${hashOf(JSON.stringify([versions, options, String(plugin)]))}`;

const inlineStyle = /<style>([\s\S]*?)<\/style>/g;
const generated = swaggerUi.generateHTML(undefined, options);
// The security policy of the page allows no inline styles, so they are served as a file.
const inlineStyles = [...generated.matchAll(inlineStyle)].map(([, style]) => style).join('');

/** Swagger UI alone, where the web page is not built. */
export const swaggerHtml = generated
  .replace(inlineStyle, '')
  .replace(/(<svg[^>]*) style="[^"]*"/, '$1 display="none"')
  .replace('</head>', '<link rel="stylesheet" href="./page.css"><script src="./names.js"></script></head>')
  .replaceAll('="./', `="${swaggerBase}/`);

const ofDist = (name: string) => () => readFileSync(require.resolve(`swagger-ui-dist/${name}`));

/** What the page loads, by name, and how it is read. */
export const swaggerFiles: Readonly<Record<string, () => string | Buffer>> = {
  'page.css': () => inlineStyles,
  // Where TypeScript is run as it is, its loader wraps functions in calls of __name, which browsers lack.
  'names.js': () => 'const __name = (named) => named;',
  'swagger-ui.css': ofDist('swagger-ui.css'),
  'swagger-ui-bundle.js': ofDist('swagger-ui-bundle.js'),
  'swagger-ui-standalone-preset.js': ofDist('swagger-ui-standalone-preset.js'),
  'favicon-32x32.png': ofDist('favicon-32x32.png'),
  'favicon-16x16.png': ofDist('favicon-16x16.png'),
};

/** The script that starts Swagger UI with the options: `swagger-ui-init.js`. */
export const swaggerScript = swaggerUi.serve;

/** Where the built page draws Swagger UI in place of `list`, once an operation is opened: web/src/docs/main.tsx. */
export function swaggerFrame(list: string): string {
  const files = [...swaggerHtml.matchAll(/(?:href|src)="([^"]+\.(?:css|js))"/g)].map(([, file]) => file);
  return `<main lang="en"><div id="swagger-ui" data-files="${files.join(' ')}"><div class="guide">${list}</div></div></main>`;
}
