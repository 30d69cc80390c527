import type { ComponentChildren } from 'preact';
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
