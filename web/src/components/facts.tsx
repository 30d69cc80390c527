import type { ComponentChildren } from 'preact';
import styles from './facts.module.css';

/** Names and their values, one under another; from a tablet's width on beside one another. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class={styles.facts}>{children}</dl>;
}

export function Fact(props: { name: string; children: ComponentChildren }) {
  return (
    <div class={styles.fact}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}
