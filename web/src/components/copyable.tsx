import { useEffect, useState } from 'preact/hooks';
import { useLanguage } from '../i18n/language.js';
import styles from './copyable.module.css';

const saidMs = 2_000;

/** A hash, key or address: shown whole, and copied by its button. */
export function Copyable({ text, name }: { text: string; name: string }) {
  const { t } = useLanguage();
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  // The clipboard is there on HTTPS and loopback only; elsewhere the text is selected by hand.
  const canCopy = navigator.clipboard !== undefined;
  return (
    <span class={styles.copyable}>
      <code>{text}</code>
      {canCopy && (
        <button
          type="button"
          aria-label={t('common.copyName', { name })}
          onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
        >
          {isCopied ? t('common.copied') : t('common.copy')}
        </button>
      )}
      <span class="visually-hidden" role="status">
        {isCopied ? t('common.copied') : ''}
      </span>
    </span>
  );
}
