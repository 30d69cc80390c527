import { useLanguage } from '../i18n/language.js';
import styles from './skeleton.module.css';

/** The outline of what is being loaded. */
export function Skeleton({ lines }: { lines: number }) {
  const { t } = useLanguage();
  return (
    <div class={styles.skeleton} role="status" aria-busy="true">
      <span class="visually-hidden">{t('common.loading')}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class={styles.line} />
      ))}
    </div>
  );
}
