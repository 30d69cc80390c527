import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { useNow } from '../data/use-now.js';
import { useLanguage } from '../i18n/language.js';
import type { Messages } from '../i18n/locales.js';
import type { TextKey } from '../i18n/translate.js';
import styles from './inline.module.css';

/** A property in a word or two; `title` explains it. */
export function Tag(props: { text: string; title?: string | undefined; tone?: 'plain' | 'accent' | 'warn' }) {
  const { text, title, tone = 'plain' } = props;
  return (
    <span class={`${styles.tag} ${styles[tone]}`} title={title}>
      {text}
    </span>
  );
}

type TermName = keyof Messages['glossary'];

/** A word that the page explains to whoever points at it; the browser places, closes and announces the tip. */
export function Term({ name, children }: { name: TermName; children: ComponentChildren }) {
  const { t } = useLanguage();
  const id = useId();
  return (
    <>
      <button type="button" class={styles.term} popovertarget={id}>
        {children}
      </button>
      <span id={id} popover="auto" class={styles.tip} role="note">
        {t(`glossary.${name}`)}
      </span>
    </>
  );
}

/** A text in which words of the glossary are marked, as in `An <anchor>anchor</anchor> pays out.`: each is a tip. */
export function Text({ of }: { of: TextKey }) {
  const { rich, terms } = useLanguage();
  const tips = terms.map((name) => {
    const tip = (word: ComponentChildren) => (
      <Term key={name} name={name}>
        {word}
      </Term>
    );
    return [name, tip] as const;
  });
  return <>{rich(of, Object.fromEntries(tips))}</>;
}

/** An instant, in the reader's time zone. */
export function At({ instant }: { instant: string }) {
  const { formats } = useLanguage();
  return <time dateTime={instant}>{formats.dateTime(instant)}</time>;
}

/** How long ago an instant was, counting up; the exact time on hover and for machines. */
export function TimeAgo({ instant }: { instant: string }) {
  const { formats } = useLanguage();
  const now = useNow();
  const seconds = Math.max(0, (now - Date.parse(instant)) / 1_000);
  return (
    <time dateTime={instant} title={formats.dateTime(instant)}>
      {formats.ago(seconds)}
    </time>
  );
}

/** A figure that is marked for a moment when it changes; screen readers are not told of it. */
export function Changing({ value, children }: { value: string; children: ComponentChildren }) {
  const shown = useRef({ value, changes: 0 });
  if (shown.current.value !== value) shown.current = { value, changes: shown.current.changes + 1 };
  const { changes } = shown.current;
  return (
    // A new key makes a new element, which restarts the animation.
    <span key={changes} class={changes > 0 ? styles.changed : undefined}>
      {children}
    </span>
  );
}
