import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import styles from './card.module.css';

/** A part of a page with a heading of its own. */
export function Card(props: { title: string; children: ComponentChildren; aside?: ComponentChildren }) {
  const id = useId();
  return (
    <section class={styles.card} aria-labelledby={id}>
      <div class={styles.head}>
        <h2 id={id}>{props.title}</h2>
        {props.aside}
      </div>
      {props.children}
    </section>
  );
}
