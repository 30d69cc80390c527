import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

type Sections = Record<string, Record<string, string>>;

const folder = new URL('../../web/locales/', import.meta.url);
const files = readdirSync(folder);
const read = (file: string): Sections => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Sections;
const english = textsOf(read('en.json'));

function textsOf(sections: Sections): Map<string, string> {
  return new Map(
    Object.entries(sections).flatMap(([section, texts]) =>
      Object.entries(texts).map(([name, text]) => [`${section}.${name}`, text] as const),
    ),
  );
}

/** The names of the placeholders in a text, such as `{count, plural, …}` and `{ago}`. */
function placesIn(text: string): string[] {
  return [
    ...new Set(
      [...text.matchAll(/(?<!\b(?:true|other|one) )\{\s*([a-zA-Z]+)\s*[,}]/g)].map(([, name = '']) => name),
    ),
  ].sort();
}

describe('the texts of the page', () => {
  it.each(files)('are the same in every language, nowhere empty, and fill in the same places: %s', (file) => {
    const texts = textsOf(read(file));
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
    for (const [key, text] of texts) {
      expect({ key, text: text.trim() }).not.toEqual({ key, text: '' });
      expect({ key, places: placesIn(text) }).toEqual({ key, places: placesIn(english.get(key) ?? '') });
    }
  });

  it('have in French the spaces that no line breaks at: narrow before ; ? !, wide before : » % and after «', () => {
    const unlike = /(?<!\u202f)[;?!]|(?<!\u00a0)[:»%]|«(?!\u00a0)/;
    const wrong = [...textsOf(read('fr.json'))].filter(([, text]) => unlike.test(text));
    expect(wrong).toEqual([]);
  });
});
