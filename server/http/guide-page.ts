import { existsSync, readFileSync } from 'node:fs';
import { marked } from 'marked';
import type { Texts } from './docs-texts.js';

/** Headings have the ids that GitHub gives them, which the pages link to. */
function htmlOf(text: string): string {
  return String(marked.parse(text)).replaceAll(
    /<h([1-6])>(.*?)<\/h\1>/g,
    (_, depth: string, heading: string) => `<h${depth} id="${slugOf(heading)}">${heading}</h${depth}>`,
  );
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/<[^>]+>|&[#\w]+;/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

const groups = {
  Guides: /^\/docs\/guides\//,
  Pages: /^\/docs\/[^/]+\.md$/,
  Operators: /^\/docs\/operations\//,
};

/** The links to the reference and to every page of the documentation; the one that is shown is marked. */
export function docsLinks(texts: Texts, shown: string): string {
  const link = (path: string, title: string) =>
    `<li><a href="${path}"${path === shown ? ' aria-current="page"' : ''}>${marked.parseInline(title)}</a></li>`;
  const lists = Object.entries(groups).map(([title, paths]) => {
    const pages = [...texts].filter(([path]) => paths.test(path));
    const links = pages.map(([path, text]) => link(path, titleOf(text)));
    return `<h2>${title}</h2><ul>${links.join('')}</ul>`;
  });
  return `<nav class="docs-links" aria-label="Documentation" lang="en"><ul>${link('/docs', 'API reference')}</ul>${lists.join('')}</nav>`;
}

/** The built page that the documentation is put into: its header and styles; undefined where it is not built. */
export function docsShell(pageFolder: URL | undefined): string | undefined {
  const built = pageFolder && new URL('docs.html', pageFolder);
  return built && existsSync(built) ? readFileSync(built, 'utf8') : undefined;
}

/** A page of the documentation in the dress of the web page. */
export function guideHtml(shell: string, path: string, texts: Texts): string {
  const text = texts.get(path) ?? '';
  const main = `<main class="guide" lang="en">${htmlOf(text)}</main>`;
  return shell
    .replace(/<title>.*?<\/title>/, () => `<title>${titleOf(text)} · Fairlead</title>`)
    .replace('</body>', () => `<div class="docs">${main}${docsLinks(texts, path)}</div></body>`);
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}
