import { useEffect, useState } from 'preact/hooks';
import { useLanguage } from '../i18n/language.js';
import styles from './copyable.module.css';

/** A hash, key or address: shown whole, and copied by its button. */
export function Copyable({ text, name }: { text: string; name: string }) {
  const { t } = useLanguage();
  const { isCopied, copy } = useCopying(text);
  return (
    <span class={styles.copyable}>
      <code>{text}</code>
      {copy !== undefined && (
        <button type="button" aria-label={t('common.copyName', { name })} onClick={copy}>
          {isCopied ? t('common.copied') : t('common.copy')}
        </button>
      )}
      <span class="visually-hidden" role="status">
        {isCopied ? t('common.copied') : ''}
      </span>
    </span>
  );
}

const saidMs = 2_000;

/**
 * Copies a text, and says for two seconds that it was copied. `copy` is undefined without a clipboard, which is there on
 * HTTPS and loopback only: elsewhere the text is selected by hand.
 */
function useCopying(text: string): { isCopied: boolean; copy: (() => void) | undefined } {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const { clipboard } = navigator;
  if (clipboard === undefined) return { isCopied, copy: undefined };
  const copy = () => {
    // A browser that refuses leaves the button as it is.
    clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => undefined,
    );
  };
  return { isCopied, copy };
}
