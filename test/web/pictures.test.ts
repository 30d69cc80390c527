import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { maxPictureBytes, pictures } from '../fixtures/web/pictures.js';

const root = new URL('../../', import.meta.url);
const folder = new URL('docs/pictures/', root);

describe('the pictures of README and the guides', () => {
  it('are those that `npm run pictures` takes, and each is shown on a page', () => {
    const shownOn = ['README.md', 'docs/guides/page.md'].map((page) =>
      readFileSync(new URL(page, root), 'utf8'),
    );
    const shown = shownOn.flatMap((text) =>
      [...text.matchAll(/!\[[^\]]+\]\([^)]*pictures\/([^)]+)\)/g)].map(([, name]) => name),
    );
    const taken = Object.keys(pictures).map((name) => `${name}.webp`);
    expect(readdirSync(folder).sort()).toEqual([...taken].sort());
    expect([...new Set(shown)].sort()).toEqual([...taken].sort());
  });

  it('are quick to load', () => {
    const heavy = readdirSync(folder).filter(
      (name) => statSync(new URL(name, folder)).size > maxPictureBytes,
    );
    expect(heavy).toEqual([]);
  });
});
