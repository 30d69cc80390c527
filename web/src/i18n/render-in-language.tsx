import { type ComponentChildren, render } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import { nameInAddress } from '../data/kept-choice.js';
import { LanguageProvider } from './language.js';
import { loadMessages, locales, type Messages, preferredLocale, rememberLocale } from './locales.js';

interface Spoken {
  locale: string;
  messages: Messages;
}

function InLanguage(props: { first: Spoken; children: ComponentChildren }) {
  const [spoken, setSpoken] = useState(props.first);
  const chosen = useRef(props.first.locale);
  const choose = useCallback(async (locale: string) => {
    chosen.current = locale;
    const messages = await loadMessages(locale).catch(() => undefined);
    // The texts of an earlier choice may arrive after those of a later one.
    if (chosen.current !== locale) return;
    if (messages === undefined) {
      // The page is drawn again, so that the choice shows the language that is still in use.
      setSpoken((still) => ({ locale: still.locale, messages: { ...still.messages } }));
      return;
    }
    rememberLocale(locale);
    nameInAddress('lang', locale);
    document.documentElement.lang = locale;
    setSpoken({ locale, messages });
  }, []);
  return (
    <LanguageProvider language={spoken.locale} messages={spoken.messages} onChoose={choose}>
      {props.children}
    </LanguageProvider>
  );
}

/** Renders in the language that the reader prefers, and again when they choose another one. */
export async function renderInLanguage(content: ComponentChildren, container: HTMLElement): Promise<void> {
  const spoken = await firstToArrive(preferredLocale(location.search));
  if (spoken === undefined) return render(<NoTexts />, container);
  document.documentElement.lang = spoken.locale;
  render(<InLanguage first={spoken}>{content}</InLanguage>, container);
}

/** The preferred language, or another one where its texts do not arrive: better than none. */
async function firstToArrive(preferred: string): Promise<Spoken | undefined> {
  for (const locale of new Set([preferred, ...locales])) {
    const messages = await loadMessages(locale).catch(() => undefined);
    if (messages !== undefined) return { locale, messages };
  }
  return undefined;
}

/** This text is English, like the document, because no file of texts has arrived. */
function NoTexts() {
  return (
    <p>
      A part of this page did not arrive.{' '}
      <button type="button" onClick={() => location.reload()}>
        Load again
      </button>
    </p>
  );
}
