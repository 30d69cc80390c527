import type { ComponentChildren } from 'preact';
import { useLanguage } from '../i18n/language.js';
import styles from './notice.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'plain';

/** A message in the page. Its title is announced when it appears; what counts down below it is not. */
export function Notice(props: { tone: Tone; title: string; children?: ComponentChildren }) {
  const { tone, title, children } = props;
  return (
    <div class={`${styles.notice} ${styles[tone]}`}>
      <p class={styles.title} role={tone === 'bad' ? 'alert' : 'status'}>
        {title}
      </p>
      {children}
    </div>
  );
}

/** Says that there is nothing to show, why, and what one can do. */
export function Empty(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class={styles.empty}>
      <p class={styles.emptyTitle}>{props.title}</p>
      {props.children}
    </div>
  );
}

/** Says once for a whole page that no real money is behind what it shows. */
export function SimulatedBanner({ isShown }: { isShown: boolean }) {
  const { t } = useLanguage();
  return isShown ? <p class={styles.banner}>{t('common.simulated')}</p> : null;
}
