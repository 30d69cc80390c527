import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));

const notOurs = new Set(['node_modules', 'dist', 'data', 'artifacts', 'target', 'coverage']);

function pagesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return notOurs.has(entry.name) || entry.name.startsWith('.') ? [] : pagesIn(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Every page of this repository, relative to its root. */
const pages = pagesIn('').sort();

/** The page without fenced blocks and inline code, whose brackets are not links. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8')
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));
}

const linksOf = (page: string) =>
  [...proseOf(page).matchAll(/\]\(\s*([^)\s]+)\s*\)/g)].map(([, target = '']) => target);

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

/** The fault of a link of a page; null where its target exists. */
function faultOf(page: string, target: string): string | null {
  if (/^[a-z]+:/.test(target)) return null;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : relative(root, join(root, dirname(page), decodeURIComponent(path)));
  if (!existsSync(join(root, file))) return 'leads to no file';
  if (anchor === undefined) return null;
  if (statSync(join(root, file)).isDirectory() || !file.endsWith('.md')) return 'names a place in no page';
  return anchorsOf(file).has(anchor) ? null : 'names a heading that the page does not have';
}

describe('every page of this repository', () => {
  it('has only links that lead to a file and, where they name one, to a heading', () => {
    const links = pages.flatMap((page) => linksOf(page).map((target) => ({ page, target })));
    const faults = links.map(({ page, target }) => ({ page, target, fault: faultOf(page, target) }));
    expect(faults.filter(({ fault }) => fault !== null)).toEqual([]);
    expect(links.length).toBeGreaterThan(200);
  });
});

describe('docs/README.md', () => {
  it('names every page of docs/ once, but those of a folder that it names', () => {
    const named = linksOf('docs/README.md').map((target) => join('docs', target));
    const folders = named.filter(
      (target) => existsSync(join(root, target)) && statSync(join(root, target)).isDirectory(),
    );
    const own = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    const expected = own.filter((page) => !folders.some((folder) => page.startsWith(`${folder}/`)));
    expect(named.filter((target) => target.endsWith('.md') && target.startsWith('docs/')).sort()).toEqual(
      expected,
    );
  });
});
