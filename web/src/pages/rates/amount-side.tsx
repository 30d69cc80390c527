import { useEffect, useId, useState } from 'preact/hooks';
import { useLanguage } from '../../i18n/language.js';
import styles from './ask-card.module.css';
import { readTypedAmount } from './typed-amount.js';

/** A typing person pauses for less than this between two digits. */
const pauseMs = 450;

/** An amount to type over. It is asked about after a pause; one that cannot be asked about says why. */
export function AmountSide(props: {
  label: string;
  code: string;
  decimals: number;
  min?: string;
  max?: string;
  /** The value of an empty field; without it, nothing is asked while the field is empty. */
  byDefault?: string;
  /** The amount that is asked about. */
  value: string;
  onSettle: (amount: string) => void;
  onUnreadable: (isUnreadable: boolean) => void;
  /** Why the service refused the amount. */
  refusal: string | undefined;
}) {
  const { label, code, decimals, min, max, byDefault, value, onSettle, onUnreadable, refusal } = props;
  const { t, locale, formats } = useLanguage();
  const id = useId();
  const [typed, setTyped] = useState(value || (byDefault ?? ''));
  const mark = new Intl.NumberFormat(locale).format(0.5).includes(',') ? ',' : '.';
  const read = readTypedAmount(typed, { decimals, mark, min, max });
  const isAsked = read.kind === 'amount' && read.amount === (value || byDefault);
  const wanted = read.kind === 'amount' && !isAsked ? read.amount : undefined;

  // The address may name another amount than the one that was typed, as after going back.
  useEffect(() => {
    if (!isAsked) setTyped(value || (byDefault ?? ''));
  }, [value]);
  useEffect(() => {
    if (wanted === undefined) return;
    const timer = setTimeout(() => onSettle(wanted), pauseMs);
    return () => clearTimeout(timer);
  }, [wanted, value]);
  useEffect(() => onUnreadable(read.kind !== 'amount'), [read.kind]);

  const range =
    min === undefined || max === undefined
      ? undefined
      : { min: formats.number(min), max: formats.asset(max, code) };
  const error = {
    empty: t('rates.amountNotANumber'),
    amount: isAsked ? refusal : undefined,
    notANumber: t('rates.amountNotANumber'),
    tooManyDecimals: t('rates.amountTooManyDecimals', { decimals }),
    outOfRange: range ? t('rates.amountOutOfRange', range) : t('rates.amountNotANumber'),
  }[read.kind];
  return (
    <div>
      <label for={id}>{label}</label>
      <div class={styles.amount}>
        <input
          id={id}
          aria-describedby={`${id}-about`}
          aria-invalid={error !== undefined}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          enterkeyhint="done"
          value={typed}
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <span>{code}</span>
      </div>
      <p id={`${id}-about`} class={error === undefined ? styles.about : styles.error}>
        <span aria-live="polite">{error}</span>
        {error === undefined && range && t('rates.amountRange', range)}
      </p>
    </div>
  );
}
