import type { ComponentChildren } from 'preact';
import styles from './empty.module.css';

/** Says that there is nothing to show, why, and what one can do. */
export function Empty(props: { title: string; children?: ComponentChildren }) {
  return (
    <div class={styles.empty}>
      <p class={styles.title}>{props.title}</p>
      {props.children}
    </div>
  );
}
