import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useLanguage } from '../i18n/language.js';
import styles from './term.module.css';

export const termNames = [
  'anchor',
  'stablecoin',
  'offramp',
  'quote',
  'worth',
  'score',
  'outcome',
  'accountDay',
  'shortfall',
  'marketRate',
  'ledger',
  'hash',
  'dispute',
  'batch',
  'oracle',
] as const;
export type TermName = (typeof termNames)[number];

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
