import { IntlMessageFormat } from 'intl-messageformat';
import type { Messages } from './locales.js';

/** `rates.title`: a text by its section and name, checked against the English file. */
export type TextKey = {
  [Section in keyof Messages & string]: `${Section}.${keyof Messages[Section] & string}`;
}[keyof Messages & string];

export type TextValues = Record<string, string | number>;

/**
 * The text of a key in ICU message syntax, filled in: `t('anchors.outcomes', { count: 3 })`. A key may end in a value of the
 * service, as `offramp.ended_refunded` does. If there is no text, since a newer service has more values, it is the value.
 */
export type Translate = (key: TextKey, values?: TextValues) => string;

export function createTranslate(locale: string, messages: Messages): Translate {
  const formats = new Map<TextKey, IntlMessageFormat>();
  return (key, values) => {
    let format = formats.get(key);
    if (format === undefined) {
      const [section, name] = key.split('.') as [keyof Messages, string];
      const text = (messages[section] as Record<string, string>)[name] ?? name.slice(name.indexOf('_') + 1);
      format = new IntlMessageFormat(text, locale);
      formats.set(key, format);
    }
    return format.format<string>(values) as string;
  };
}
