import { type ComponentChildren, render } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { nameInAddress } from '../data/kept-choice.js';
import { LanguageProvider } from './language.js';
import { loadMessages, type Messages, preferredLocale, rememberLocale } from './locales.js';

interface Spoken {
  locale: string;
  messages: Messages;
}

function InLanguage(props: { first: Spoken; children: ComponentChildren }) {
  const [spoken, setSpoken] = useState(props.first);
  const choose = useCallback(async (locale: string) => {
    const messages = await loadMessages(locale);
    rememberLocale(locale);
    nameInAddress('lang', locale);
    document.documentElement.lang = locale;
    setSpoken({ locale, messages });
  }, []);
  return (
    <LanguageProvider locale={spoken.locale} messages={spoken.messages} onChoose={choose}>
      {props.children}
    </LanguageProvider>
  );
}

/** Renders in the language that the reader prefers, and again when they choose another one. */
export async function renderInLanguage(content: ComponentChildren, container: HTMLElement): Promise<void> {
  const locale = preferredLocale(location.search);
  const messages = await loadMessages(locale);
  document.documentElement.lang = locale;
  render(<InLanguage first={{ locale, messages }}>{content}</InLanguage>, container);
}
