import type { ComponentChildren } from 'preact';
import { Term, type TermName, termNames } from '../components/term.js';
import { useLanguage } from './language.js';
import type { TextKey, TextValues } from './translate.js';

/** A text in which words of the glossary are marked, as in `An <anchor>anchor</anchor> pays out.`: each is a tip. */
export function Text({ of, values = {} }: { of: TextKey; values?: TextValues }) {
  const { rich } = useLanguage();
  return <>{rich(of, { ...tips, ...values })}</>;
}

const tips = Object.fromEntries(
  termNames.map((name: TermName) => [
    name,
    (word: ComponentChildren) => (
      <Term key={name} name={name}>
        {word}
      </Term>
    ),
  ]),
);
