import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import styles from './changing.module.css';

/** A figure that is marked for a moment when it changes; screen readers are not told of it. */
export function Changing({ value, children }: { value: string; children: ComponentChildren }) {
  const shown = useRef({ value, changes: 0 });
  if (shown.current.value !== value) shown.current = { value, changes: shown.current.changes + 1 };
  const { changes } = shown.current;
  return (
    // A new key makes a new element, which restarts the animation.
    <span key={changes} class={changes > 0 ? styles.changed : undefined}>
      {children}
    </span>
  );
}
