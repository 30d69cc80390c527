import type { ComponentChildren } from 'preact';
import styles from './mark.module.css';

export type MarkTone = 'good' | 'warn' | 'bad' | 'plain';

const signs: Record<MarkTone, string> = { good: '✓', warn: '!', bad: '✕', plain: '–' };

/** A state in words, with a sign and a colour that say the same. */
export function Mark({ tone, children }: { tone: MarkTone; children: ComponentChildren }) {
  return (
    <span class={`${styles.mark} ${styles[tone]}`}>
      <span class={styles.sign} aria-hidden="true">
        {signs[tone]}
      </span>
      {children}
    </span>
  );
}
