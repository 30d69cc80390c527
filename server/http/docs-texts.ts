import { readdirSync, readFileSync } from 'node:fs';

/** A page of docs/. */
export interface Page {
  /** The path below docs/: `rates.md`, `guides/wallets.md`. */
  path: string;
  text: string;
}

/** Texts by the path that they are served at. */
export type Texts = ReadonlyMap<string, string>;

/** Decisions are for those who change the code. */
const notServed = /^adr\//;
/** Documents in docs/ that are served at the root. */
const documents = /^\/docs(\/openapi(\.client)?\.json)$/;

/** The pages of docs/ that are served, in the order of their paths. */
export function readPages(folder: URL): Page[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && !notServed.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(new URL(path, folder), 'utf8') }));
}

/**
 * The text of a page as it is served. Its links lead to files of the repository, but the service has only the pages:
 * any other file is named in place of its link.
 */
function servedText({ path, text }: Page, pages: readonly Page[]): string {
  const served = new Set(pages.map((page) => `/docs/${page.path}`));
  return text.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link: string, label: string, target: string) => {
    if (/^([a-z]+:|#)/.test(target)) return link;
    const { pathname, hash } = new URL(target, `http://service/docs/${path}`);
    if (served.has(pathname)) return link;
    const document = documents.exec(pathname)?.[1];
    if (document !== undefined) return `[${label}](${document}${hash})`;
    const file = pathname.slice(1);
    return label.includes(file) ? label : `${label} (\`${file}\` in the repository)`;
  });
}

/** `/llms.txt`, and the pages of docs/ that it leads to. */
export function readTexts(folder: URL): Texts {
  const pages = readPages(folder);
  return new Map([
    ['/llms.txt', readFileSync(new URL('llms.txt', folder), 'utf8')],
    ...pages.map((page) => [`/docs/${page.path}`, servedText(page, pages)] as const),
  ]);
}
