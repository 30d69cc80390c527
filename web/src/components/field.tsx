import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import styles from './field.module.css';

/** A labelled control with its hint and its error; the control takes the ids that it is handed. */
export function Field(props: {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  children: (ids: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ComponentChildren;
}) {
  const { label, hint, error, children } = props;
  const id = useId();
  const describedBy = `${id}-about`;
  return (
    <div class={styles.field}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': error !== undefined })}
      <p
        id={describedBy}
        class={error !== undefined ? styles.error : hint !== undefined ? styles.hint : styles.silent}
      >
        {/* Announced when it appears. The hint is not: it may count with every key. */}
        <span aria-live="polite">{error}</span>
        {error === undefined && hint}
      </p>
    </div>
  );
}
