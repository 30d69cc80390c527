import { useLanguage } from '../i18n/language.js';
import styles from './copyable.module.css';
import { useCopying } from './use-copying.js';

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
