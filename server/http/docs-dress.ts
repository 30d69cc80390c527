import { existsSync, readFileSync } from 'node:fs';

/** The header and the styles of the web page, for the page of Swagger UI. */
export interface Dress {
  /** The elements that load its styles and icon and set the viewport for small screens. */
  head: string;
  /** The element for the header, and the script that fills it. */
  body: string;
}

/** Reads the docs.html that `npm run build -w web` wrote. Undefined if the page was not built. */
export function readDress(pageFolder: URL | undefined): Dress | undefined {
  const file = pageFolder && new URL('docs.html', pageFolder);
  if (file === undefined || !existsSync(file)) return undefined;
  const html = readFileSync(file, 'utf8');
  const inside = (tag: string) => new RegExp(`<${tag}>([\\s\\S]*)</${tag}>`).exec(html)?.[1] ?? '';
  const scripts = [...inside('head').matchAll(/<script[^>]*><\/script>/g)].map(([script]) => script);
  return {
    head: inside('head').replaceAll(/<script[^>]*><\/script>|<meta charset[^>]*>|<title>[^<]*<\/title>/g, ''),
    // `async`, so that the script does not wait for those of Swagger UI, which are large.
    body: inside('body') + scripts.map((script) => script.replace('<script', '<script async')).join(''),
  };
}

/** Inserts the header and styles into the page of Swagger UI, and removes the icons of that page. */
export function dressed(html: string, { head, body }: Dress): string {
  return html
    .replaceAll(/<link rel="icon"[^>]*>/g, '')
    .replace('</head>', () => `${head}</head>`)
    .replace('<body>', () => `<body>${body}`);
}
