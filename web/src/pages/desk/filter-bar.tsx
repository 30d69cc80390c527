import { useEffect, useState } from 'preact/hooks';
import { Field } from '../../components/field.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './desk.module.css';

const statuses = [
  ['open', 'desk.status_open'],
  ['accepted', 'desk.status_accepted'],
  ['rejected', 'desk.status_rejected'],
  ['all', 'desk.all'],
] as const satisfies [string, TextKey][];

const supports = [
  ['', 'desk.all'],
  ['supported', 'desk.support_supported'],
  ['unsupported', 'desk.support_unsupported'],
] as const satisfies [string, TextKey][];

type Set = (value: string) => void;

/** What the list is filtered by; the address holds it. */
export function FilterBar(props: {
  status: string;
  support: string;
  anchor: string;
  onStatus: Set;
  onSupport: Set;
  onAnchor: Set;
}) {
  const { t } = useLanguage();
  const { anchor, onAnchor } = props;
  // The list is drawn again after each refresh, which must not discard what is being typed.
  const [typed, setTyped] = useState(anchor);
  useEffect(() => setTyped(anchor), [anchor]);
  return (
    <search class={styles.filters} aria-label={t('desk.filter')}>
      <Choice label={t('desk.status')} value={props.status} options={statuses} onChoose={props.onStatus} />
      <Choice label={t('desk.support')} value={props.support} options={supports} onChoose={props.onSupport} />
      <Field label={t('offramp.anchor')}>
        {(ids) => (
          <input
            {...ids}
            type="search"
            value={typed}
            placeholder={t('desk.allAnchors')}
            autocomplete="off"
            autocapitalize="none"
            onInput={(event) => setTyped(event.currentTarget.value)}
            onChange={(event) => onAnchor(event.currentTarget.value.trim())}
          />
        )}
      </Field>
    </search>
  );
}

function Choice(props: {
  label: string;
  value: string;
  options: readonly (readonly [string, TextKey])[];
  onChoose: Set;
}) {
  const { t } = useLanguage();
  return (
    <Field label={props.label}>
      {(ids) => (
        <select {...ids} value={props.value} onChange={(event) => props.onChoose(event.currentTarget.value)}>
          {props.options.map(([value, text]) => (
            <option key={value} value={value}>
              {t(text)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
