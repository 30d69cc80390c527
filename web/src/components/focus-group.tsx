import type { ComponentChildren, RefObject } from 'preact';
import styles from './focus-group.module.css';

/** Parts of a page that take the focus when the button that was pressed is removed. It looks as if it were not there. */
export function FocusGroup({
  at,
  children,
}: {
  at: RefObject<HTMLDivElement | null>;
  children: ComponentChildren;
}) {
  return (
    <div ref={at} tabIndex={-1} class={styles.group}>
      {children}
    </div>
  );
}
