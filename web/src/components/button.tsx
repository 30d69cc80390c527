import type { ComponentChildren, JSX } from 'preact';
import styles from './button.module.css';

/** A button; the `strong` one is the step that a page is for. */
export function Button(
  props: { strong?: boolean; children: ComponentChildren } & Omit<JSX.IntrinsicElements['button'], 'class'>,
) {
  const { strong = false, children, ...rest } = props;
  return (
    <button type="button" {...rest} class={`${styles.button} ${strong ? styles.strong : ''}`}>
      {children}
    </button>
  );
}
