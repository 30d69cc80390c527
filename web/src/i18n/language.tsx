import { type ComponentChildren, createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { createFormats, type Formats } from './formats.js';
import { type Messages, regionalOf } from './locales.js';
import { createTexts, type Texts } from './translate.js';

export interface Language extends Texts {
  /** Of the reader's region, for what depends on the language beside the texts. */
  locale: string;
  /** That of the texts. */
  language: string;
  formats: Formats;
  /** Loads another language and shows the page in it. */
  choose(locale: string): void;
}

const Context = createContext<Language | undefined>(undefined);

export function LanguageProvider(props: {
  language: string;
  messages: Messages;
  onChoose: (locale: string) => void;
  children: ComponentChildren;
}) {
  const { language, messages, onChoose, children } = props;
  const spoken = useMemo(() => {
    const locale = regionalOf(language);
    const texts = createTexts(locale, messages);
    return { locale, language, ...texts, formats: createFormats(locale), choose: onChoose };
  }, [language, messages, onChoose]);
  return <Context.Provider value={spoken}>{children}</Context.Provider>;
}

export function useLanguage(): Language {
  const language = useContext(Context);
  if (language === undefined) throw new Error('useLanguage needs LanguageProvider above it.');
  return language;
}
