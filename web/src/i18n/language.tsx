import { type ComponentChildren, createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { createFormats, type Formats } from './formats.js';
import type { Messages } from './locales.js';
import { createTexts, type Texts } from './translate.js';

export interface Language extends Texts {
  locale: string;
  formats: Formats;
  /** Loads another language and shows the page in it. */
  choose(locale: string): void;
}

const Context = createContext<Language | undefined>(undefined);

export function LanguageProvider(props: {
  locale: string;
  messages: Messages;
  onChoose: (locale: string) => void;
  children: ComponentChildren;
}) {
  const { locale, messages, onChoose, children } = props;
  const language = useMemo(
    () => ({
      locale,
      ...createTexts(locale, messages),
      formats: createFormats(locale),
      choose: onChoose,
    }),
    [locale, messages, onChoose],
  );
  return <Context.Provider value={language}>{children}</Context.Provider>;
}

export function useLanguage(): Language {
  const language = useContext(Context);
  if (language === undefined) throw new Error('useLanguage needs LanguageProvider above it.');
  return language;
}
