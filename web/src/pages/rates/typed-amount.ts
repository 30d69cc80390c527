import { compareDecimals } from '../../figures/decimal.js';

/** What may be asked about; `min` and `max` are absent where only the service knows them. */
export interface AmountRange {
  decimals: number;
  /** The mark that the reader's language has before decimals. */
  mark: '.' | ',';
  min?: string | undefined;
  max?: string | undefined;
}

export type TypedAmount =
  | { kind: 'empty' }
  | { kind: 'amount'; amount: string }
  | { kind: 'notANumber' }
  | { kind: 'tooManyDecimals' }
  | { kind: 'outOfRange' };

const spaces = /[\s\u00a0\u202f'’]/g;
/** In a language with a decimal comma, a single point is a decimal point too, because keypads have no comma. */
const thousands = {
  '.': /^\d{1,3}(,\d{3})+(\.\d*)?$/,
  ',': /^\d{1,3}((\.\d{3})+,\d*|(\.\d{3}){2,})$/,
};

/** Reads an amount as people type it: with marks between the thousands, and a point or a comma before the decimals. */
export function readTypedAmount(text: string, { decimals, mark, min, max }: AmountRange): TypedAmount {
  const typed = text.replace(spaces, '');
  if (typed === '') return { kind: 'empty' };
  const ungrouped = thousands[mark].test(typed) ? typed.replaceAll(mark === '.' ? ',' : '.', '') : typed;
  const [, digits = '', fraction = ''] = /^(\d{0,15})(?:[.,](\d*))?$/.exec(ungrouped) ?? [];
  if (digits === '' && fraction === '') return { kind: 'notANumber' };
  const places = fraction.replace(/0+$/, '');
  if (places.length > decimals) return { kind: 'tooManyDecimals' };
  const whole = digits.replace(/^0+(?=\d)/, '') || '0';
  const amount = places === '' ? whole : `${whole}.${places}`;
  const isOutOfRange =
    compareDecimals(amount, min ?? '0') < 0 ||
    compareDecimals(amount, '0') === 0 ||
    (max !== undefined && compareDecimals(amount, max) > 0);
  return isOutOfRange ? { kind: 'outOfRange' } : { kind: 'amount', amount };
}

/** The whole units of an amount to begin with, or all of it where it is below one unit. */
export function roundAmount(amount: string): string {
  const [whole = ''] = amount.split('.');
  return whole === '0' ? amount : whole;
}
