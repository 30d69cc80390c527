import { useState } from 'preact/hooks';
import { Button, TextField } from '../../components/controls.js';
import { Card } from '../../components/page-parts.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './proof.module.css';
import type { Checks } from './questions.js';
import type { ListedKey, Trust } from './step.js';

type OnKey = (key: ListedKey | null | undefined) => void;

/** Whose keys a check believes: first of all those that the reader brought. */
export function KeysCard(props: {
  trust: Trust;
  checks: Checks | undefined;
  onPublisher: OnKey;
  onOracle: OnKey;
  /** Forgets the keys of earlier visits, where there are any. */
  onForget: (() => void) | undefined;
}) {
  const { trust, checks, onPublisher, onOracle, onForget } = props;
  const { t } = useLanguage();
  return (
    <Card title={t('proof.trust')}>
      <div class={styles.choices}>
        <KeyField
          label={t('proof.ownKey')}
          hint={t('proof.ownKeyHint')}
          checks={checks}
          onKey={onPublisher}
        />
        <KeyField
          label={t('proof.ownOracle')}
          hint={t('proof.ownOracleHint')}
          checks={checks}
          onKey={onOracle}
        />
      </div>
      <p>{t(`proof.trust_${trust.source}`)}</p>
      <details>
        <summary>{t('proof.trustedKeys')}</summary>
        <ul>
          {trust.keys.map(({ keyId, publicKey }) => (
            <li key={keyId}>
              <code>{publicKey}</code>
            </li>
          ))}
        </ul>
      </details>
      {onForget !== undefined && (
        <p>
          <Button onClick={onForget}>{t('proof.forget')}</Button>
        </p>
      )}
    </Card>
  );
}

/** Takes a public key as text. It is never part of the address: the sender of a link must not choose the trusted key. */
function KeyField(props: { label: string; hint: string; checks: Checks | undefined; onKey: OnKey }) {
  const { label, hint, checks, onKey } = props;
  const { t } = useLanguage();
  const [text, setText] = useState('');
  const key = text.trim() === '' ? undefined : (checks?.readKey(text.trim()) ?? null);
  return (
    <TextField
      label={label}
      hint={hint}
      error={key === null ? t('proof.noKey') : undefined}
      isCode
      value={text}
      disabled={checks === undefined}
      placeholder="G…"
      onType={(typed) => {
        setText(typed);
        onKey(typed.trim() === '' ? undefined : (checks?.readKey(typed.trim()) ?? null));
      }}
    />
  );
}
