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
export type Formats = ReturnType<typeof createFormats>;

export function createFormats(locale: string) {
  const made = new Map<string, unknown>();
  /** Made when it is needed first, since a phone takes some 20 ms to make one. */
  const kept = <Format>(kind: string, options: object, make: () => Format): Format => {
    const key = kind + JSON.stringify(options);
    if (!made.has(key)) made.set(key, make());
    return made.get(key) as Format;
  };
  const numberFormat = (options: Intl.NumberFormatOptions) =>
    kept('number', options, () => new Intl.NumberFormat(locale, options));
  const dateFormat = (options: Intl.DateTimeFormatOptions) =>
    kept('date', options, () => new Intl.DateTimeFormat(locale, options));
  const relativeFormat = (options: Intl.RelativeTimeFormatOptions) =>
    kept('relative', options, () => new Intl.RelativeTimeFormat(locale, options));

  const nearest = (fraction: string | number) =>
    numberFormat({ style: 'percent', maximumFractionDigits: 2 }).format(fraction as Decimal);

  return {
    /** A fraction as a percentage: `98.1 %` for `0.9812`. Rounds down, so that 100 % always means all. */
    percent: (fraction: string | number, digits = 1) =>
      numberFormat({ style: 'percent', maximumFractionDigits: digits, roundingMode: 'floor' }).format(
        fraction as Decimal,
      ),
    /** A share that is often tiny: two decimal places; `< 0.01 %` below the smallest that they can show, which is not zero. */
    smallShare: (fraction: string) =>
      Number(fraction) > 0 && Number(fraction) < leastShare ? `< ${nearest(leastShare)}` : nearest(fraction),
    /** `NGN 1,548,230.00`: an amount of a currency of ISO 4217. */
    money: (amount: string, currency: string) =>
      numberFormat({ style: 'currency', currency, ...digitsOf(amount) }).format(amount as Decimal),
    /** `1,234.50 USDC`: an amount of an asset, whose code may be that of a currency, too. */
    asset: (amount: string, code: string) =>
      `${numberFormat(digitsOf(amount)).format(amount as Decimal)} ${code}`,
    /** `0.89 %` for `0.89`: costs come in per cent already. */
    perCent: (value: string | number) =>
      numberFormat({ style: 'unit', unit: 'percent', minimumFractionDigits: 2 }).format(value as Decimal),
    /** `92.34`: a score, or a part of one. */
    points: (value: string | number) =>
      numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value as Decimal),
    number: (value: string | number, options: Intl.NumberFormatOptions = {}) =>
      numberFormat(options).format(value as Decimal),
    dateTime: (instant: string | number) =>
      dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(new Date(instant)),
    date: (instant: string | number) => dateFormat({ dateStyle: 'medium' }).format(new Date(instant)),
    /** The UTC day, whatever the reader's time zone. */
    day: (instant: string | number) =>
      dateFormat({ dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(instant)),
    /** `3 minutes ago`. Of days as of hours: 47 hours ago is one day ago, and may not have been yesterday. */
    ago(seconds: number) {
      const found = units.find(([, each]) => Math.abs(seconds) >= each);
      if (found === undefined) return relativeFormat({ numeric: 'auto' }).format(0, 'second');
      const [unit, size] = found;
      return relativeFormat({ style: 'short' }).format(-Math.floor(seconds / size), unit);
    },
    /** `4 min`, `2.5 hr`: how long something takes. */
    duration(seconds: number) {
      const [unit, size] = units.find(([, each]) => seconds >= each) ?? (['second', 1] as const);
      const figure = numberFormat({ style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 });
      return unbroken(figure.format(seconds / size));
    },
    /** `1 minute` for 24 seconds: a round time within which something usually happens. */
    within(seconds: number) {
      const [unit, size] =
        units.find(([, each]) => seconds > each && each >= 60) ?? (['minute', 60] as const);
      const figure = numberFormat({ style: 'unit', unit, unitDisplay: 'long' });
      return unbroken(figure.format(Math.ceil(seconds / size)));
    },
  };
}

/** A figure and its unit, which no line parts. */
const unbroken = (text: string) => text.replace(' ', '\u00a0');

function digitsOf(amount: string): Intl.NumberFormatOptions {
  return { minimumFractionDigits: amount.includes('.') ? 2 : 0, maximumFractionDigits: 7 };
}
