import type english from '../../locales/en.json';
import { keepChoice, keptChoice } from '../data/kept-choice.js';

/** The texts of one language: the English file says which there are. */
export type Messages = typeof english;

/** Every file of web/locales is a language; adding one is all that a translation takes. */
const files = import.meta.glob<Messages>('../../locales/*.json', { import: 'default' });

const loaders = new Map(
  Object.entries(files).map(([path, load]) => [path.replace(/^.*\/|\.json$/g, ''), load]),
);

export const locales = [...loaders.keys()].sort();

const fallback = 'en';
const storedUnder = 'fairlead-lang';

/** `?lang=` of the address, else what the reader chose before, else what the browser asks for, else English. */
export function preferredLocale(search: string): string {
  const asked = [new URLSearchParams(search).get('lang'), keptChoice(storedUnder), ...navigator.languages];
  for (const tag of asked) {
    const language = tag?.toLowerCase().split('-')[0];
    if (language !== undefined && loaders.has(language)) return language;
  }
  return fallback;
}

/** How the browser writes that language, such as `en-GB`, which has other dates than `en`. */
export function regionalOf(locale: string): string {
  return navigator.languages.find((tag) => tag.toLowerCase().split('-')[0] === locale) ?? locale;
}

export function rememberLocale(locale: string): void {
  keepChoice(storedUnder, locale);
}

export async function loadMessages(locale: string): Promise<Messages> {
  const load = loaders.get(locale) ?? loaders.get(fallback);
  if (load === undefined) throw new Error('The build holds no texts.');
  return load();
}
