import { IntlMessageFormat } from 'intl-messageformat';
import type { ComponentChildren } from 'preact';
import type { Messages } from './locales.js';

/** `rates.title`: a text by its section and name, checked against the English file. */
export type TextKey = {
  [Section in keyof Messages & string]: `${Section}.${keyof Messages[Section] & string}`;
}[keyof Messages & string];

type TextValues = Record<string, string | number>;

/** Texts by key, in ICU message syntax. */
export interface Texts {
  /**
   * The text of a key, filled in: `t('anchors.outcomes', { count: 3 })`. A key may end in a value of the service, as
   * `offramp.ended_refunded` does. If there is no text, since a newer service has more values, it is the value.
   */
  t: (key: TextKey, values?: TextValues) => string;
  /** A text with tags, such as `<anchor>…</anchor>`, each drawn by the function of its name. */
  rich: (key: TextKey, values: RichValues) => ComponentChildren;
  /** The words that the glossary explains. */
  terms: readonly (keyof Messages['glossary'])[];
}

export type Translate = Texts['t'];
type RichValues = Record<string, string | number | ((children: ComponentChildren) => ComponentChildren)>;

export function createTexts(locale: string, messages: Messages): Texts {
  const formats = new Map<TextKey, IntlMessageFormat>();
  const formatOf = (key: TextKey) => {
    let format = formats.get(key);
    if (format === undefined) {
      const [section, name] = key.split('.') as [keyof Messages, string];
      const text = (messages[section] as Record<string, string>)[name] ?? name.slice(name.indexOf('_') + 1);
      format = new IntlMessageFormat(text, locale);
      formats.set(key, format);
    }
    return format;
  };
  return {
    t: (key, values) => formatOf(key).format<string>(values) as string,
    terms: Object.keys(messages.glossary) as (keyof Messages['glossary'])[],
    rich: (key, values) => formatOf(key).format<ComponentChildren>(values) as ComponentChildren,
  };
}

/** The name of a delivery method; one that has no text here is shown as the anchor names it. */
export function methodName(method: string, t: Translate): string {
  return t(`common.method_${method}` as TextKey);
}
