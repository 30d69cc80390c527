import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import styles from './controls.module.css';

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

/** One of a few, all of them seen; the arrow keys move between them. */
export function Choice<T extends string>(props: {
  legend: string;
  options: readonly { value: T; label: string }[];
  value: T | undefined;
  onChoose: (value: T) => void;
  /** Whether the legend is for screen readers alone. */
  isLegendHidden?: boolean;
}) {
  const { legend, options, value, onChoose, isLegendHidden = false } = props;
  const name = useId();
  return (
    <fieldset class={styles.choice}>
      <legend class={isLegendHidden ? 'visually-hidden' : undefined}>{legend}</legend>
      <div class={styles.options}>
        {options.map((option) => (
          <label key={option.value} class={styles.option}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChoose(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

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

/** One of many, by their names. */
export function Select(props: {
  label: string;
  options: readonly (readonly [value: string, name: string])[];
  value: string;
  onChoose: (value: string) => void;
}) {
  const { label, options, value, onChoose } = props;
  return (
    <Field label={label}>
      {(ids) => (
        <select
          {...ids}
          value={value}
          disabled={options.length === 0}
          onChange={(event) => onChoose(event.currentTarget.value)}
        >
          {options.map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A line to type into, or as many as `rows` says. `isCode`: no language of people, such as a hash. */
export function TextField(props: {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  value: string;
  onType: (text: string) => void;
  rows?: number;
  isCode?: boolean;
  placeholder?: string;
  maxLength?: number;
  disabled?: boolean;
}) {
  const { label, hint, error, onType, rows, isCode = false, ...rest } = props;
  const onInput = (event: { currentTarget: { value: string } }) => onType(event.currentTarget.value);
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) =>
        rows !== undefined ? (
          <textarea {...ids} {...rest} rows={rows} onInput={onInput} />
        ) : (
          <input
            {...ids}
            {...rest}
            type="text"
            class={isCode ? styles.code : undefined}
            autocomplete="off"
            autocapitalize={isCode ? 'none' : undefined}
            spellcheck={!isCode}
            onInput={onInput}
          />
        )
      }
    </Field>
  );
}
