import { useEffect, useState } from 'preact/hooks';
import { Field } from '../../components/field.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './ask-form.module.css';
import { readTypedAmount } from './typed-amount.js';

/** A typing person pauses for less than this between two digits. */
const pauseMs = 450;

/** An amount as it is typed. It is asked about after a pause; one that is out of range is not asked about. */
export function AmountField(props: {
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
  /** Why the service refused the amount. */
  refusal?: string | undefined;
}) {
  const { label, code, decimals, min, max, byDefault, value, onSettle, refusal } = props;
  const { t, locale, formats } = useLanguage();
  const [typed, setTyped] = useState(value);
  const mark = new Intl.NumberFormat(locale).format(0.5).includes(',') ? ',' : '.';
  const read = readTypedAmount(typed, { decimals, mark, min, max });
  const wanted = read.kind === 'amount' ? read.amount : read.kind === 'empty' && byDefault ? '' : undefined;

  // The address may name another amount than the one that was typed, as after going back.
  useEffect(() => {
    if (wanted !== value) setTyped(value);
  }, [value]);
  useEffect(() => {
    if (wanted === undefined || wanted === value) return;
    const timer = setTimeout(() => onSettle(wanted), pauseMs);
    return () => clearTimeout(timer);
  }, [wanted, value]);

  const range = min !== undefined && max !== undefined;
  const inRange = range
    ? t('rates.amountRange', { min: formats.number(min), max: formats.asset(max, code) })
    : undefined;
  const error = {
    empty: undefined,
    amount: wanted === value ? refusal : undefined,
    notANumber: t('rates.amountNotANumber'),
    tooManyDecimals: t('rates.amountTooManyDecimals', { decimals }),
    outOfRange: range
      ? t('rates.amountOutOfRange', { min: formats.number(min), max: formats.asset(max, code) })
      : t('rates.amountNotANumber'),
  }[read.kind];
  return (
    <Field label={label} error={error} hint={inRange}>
      {(ids) => (
        <span class={styles.amount}>
          <input
            {...ids}
            type="text"
            inputMode="decimal"
            autocomplete="off"
            enterkeyhint="done"
            placeholder={byDefault === undefined ? undefined : formats.number(byDefault)}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <span class={styles.unit} aria-hidden="true">
            {code}
          </span>
        </span>
      )}
    </Field>
  );
}
