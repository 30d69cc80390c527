/** Decimal text as the API writes it; `Intl` formats it exactly, without making a number of it. */
type Decimal = Intl.StringNumericLiteral;

/** The smallest share that a percentage with two decimal places can show. */
const leastShare = 0.0001;
const day = 86_400;
/** The units of a relative time, of which the largest that fits at least once is used. */
const units: [Intl.RelativeTimeFormatUnit & ('second' | 'minute' | 'hour' | 'day'), number][] = [
  ['day', day],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Everything that depends on the language in how figures and times are written. Amounts are decimal text of the API. */
export interface Formats {
  /** `NGN 1,548,230.00`: an amount of a currency of ISO 4217. */
  money(amount: string, currency: string): string;
  /** `1,234.50 USDC`: an amount of an asset, whose code may be that of a currency, too. */
  asset(amount: string, code: string): string;
  number(value: string | number, options?: Intl.NumberFormatOptions): string;
  /** A fraction as a percentage: `98.1 %` for `0.9812`. Rounds down, so that 100 % always means all. */
  percent(fraction: string | number, digits?: number): string;
  /** A share that is often tiny: two decimal places; `< 0.01 %` below the smallest that they can show, which is not zero. */
  smallShare(fraction: string): string;
  /** `0.89 %` for `0.89`: costs come in per cent already. */
  perCent(value: string | number): string;
  /** `92.34`: a score, or a part of one. */
  points(value: string | number): string;
  dateTime(instant: string | number): string;
  date(instant: string | number): string;
  /** The UTC day, whatever the reader's time zone. */
  day(instant: string | number): string;
  /** `3 minutes ago`. Of days as of hours: 47 hours ago is one day ago, and may not have been yesterday. */
  ago(seconds: number): string;
  /** `4 min`, `2.5 hr`: how long something takes. */
  duration(seconds: number): string;
  /** `1 minute` for 24 seconds: a round time within which something usually happens. */
  within(seconds: number): string;
}

export function createFormats(locale: string): Formats {
  const made = new Map<string, Intl.NumberFormat>();
  const numberFormat = (options: Intl.NumberFormatOptions) => {
    const key = JSON.stringify(options);
    let format = made.get(key);
    if (format === undefined) {
      format = new Intl.NumberFormat(locale, options);
      made.set(key, format);
    }
    return format;
  };
  const dateTimes = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const relative = new Intl.RelativeTimeFormat(locale, { style: 'short' });
  const now = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second');

  const percent: Formats['percent'] = (fraction, digits = 1) =>
    numberFormat({ style: 'percent', maximumFractionDigits: digits, roundingMode: 'floor' }).format(
      fraction as Decimal,
    );
  const nearest = (fraction: string | number) =>
    numberFormat({ style: 'percent', maximumFractionDigits: 2 }).format(fraction as Decimal);

  return {
    percent,
    smallShare: (fraction) =>
      Number(fraction) > 0 && Number(fraction) < leastShare ? `< ${nearest(leastShare)}` : nearest(fraction),
    money: (amount, currency) =>
      numberFormat({ style: 'currency', currency, ...digitsOf(amount) }).format(amount as Decimal),
    asset: (amount, code) => `${numberFormat(digitsOf(amount)).format(amount as Decimal)} ${code}`,
    perCent: (value) =>
      numberFormat({ style: 'unit', unit: 'percent', minimumFractionDigits: 2 }).format(value as Decimal),
    points: (value) =>
      numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value as Decimal),
    number: (value, options = {}) => numberFormat(options).format(value as Decimal),
    dateTime: (instant) => dateTimes.format(new Date(instant)),
    date: (instant) => dates.format(new Date(instant)),
    day: (instant) => days.format(new Date(instant)),
    ago(seconds) {
      const found = units.find(([, each]) => Math.abs(seconds) >= each);
      if (found === undefined) return now;
      const [unit, size] = found;
      return relative.format(-Math.floor(seconds / size), unit);
    },
    duration(seconds) {
      const [unit, size] = units.find(([, each]) => seconds >= each) ?? (['second', 1] as const);
      return numberFormat({ style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 }).format(
        seconds / size,
      );
    },
    within(seconds) {
      const [unit, size] =
        units.find(([, each]) => seconds > each && each >= 60) ?? (['minute', 60] as const);
      return numberFormat({ style: 'unit', unit, unitDisplay: 'long' }).format(Math.ceil(seconds / size));
    },
  };
}

function digitsOf(amount: string): Intl.NumberFormatOptions {
  return { minimumFractionDigits: amount.includes('.') ? 2 : 0, maximumFractionDigits: 7 };
}
