import type { PublisherKey } from '@fairlead/contract/client';
import { useId, useRef } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { useLanguage } from '../../i18n/language.js';
import type { ListedKey } from './check/evidence.js';
import { KeyField } from './key-field.js';
import { Mark } from './mark.js';
import type { Memories } from './memory.js';
import styles from './proof.module.css';
import type { TrustedKeys } from './trust.js';

/** Which keys a check trusts, where they come from, and fields for keys that the reader obtained elsewhere. */
export function TrustCard(props: {
  trust: TrustedKeys;
  listed: readonly PublisherKey[];
  memories: Memories;
  onPublisher: (key: ListedKey | null | undefined) => void;
  onOracle: (key: ListedKey | null | undefined) => void;
}) {
  const { trust, listed, memories, onPublisher, onOracle } = props;
  const { t, formats } = useLanguage();
  const listId = useId();
  const lead = useRef<HTMLParagraphElement>(null);
  const forget = () => {
    memories.forget();
    // The button goes with what it forgets.
    lead.current?.focus({ preventScroll: true });
  };
  const isOwn = trust.source === 'reader' || trust.source === 'readerBefore';
  return (
    <Card
      title={t('proof.trust')}
      aside={<Mark tone={isOwn ? 'good' : 'warn'}>{t(`proof.source_${trust.source}`)}</Mark>}
    >
      <p ref={lead} tabIndex={-1}>
        {t(`proof.trust_${trust.source}`)}
      </p>
      <div>
        <h3 id={listId}>{t('proof.trustedKeys')}</h3>
        <ul class={styles.keys} aria-labelledby={listId}>
          {trust.keys.map(({ keyId, publicKey }) => (
            <li key={keyId}>
              <code>{publicKey}</code> <span class={styles.soft}>{t(roleOf(listed, keyId), { keyId })}</span>
            </li>
          ))}
        </ul>
        {trust.keys.length === 0 && <p class={styles.soft}>{t('proof.noKeys')}</p>}
      </div>
      <div class={styles.fields}>
        <KeyField label={t('proof.ownKey')} hint={t('proof.ownKeyHint')} onKey={onPublisher} />
        <KeyField label={t('proof.ownOracle')} hint={t('proof.ownOracleHint')} onKey={onOracle} />
      </div>
      {memories.now !== undefined && (
        <p class={styles.memory}>
          <span>
            {t('proof.remembers', {
              sequence: memories.now.head.sequence,
              time: formats.dateTime(memories.now.at),
            })}
          </span>
          <Button onClick={forget}>{t('proof.forget')}</Button>
        </p>
      )}
    </Card>
  );
}

/** What the service says of a key; it gives no times. */
function roleOf(listed: readonly PublisherKey[], keyId: string) {
  const key = listed.find((each) => each.keyId === keyId);
  if (key === undefined) return 'proof.keyUnlisted' as const;
  return key.current ? ('proof.keyCurrent' as const) : ('proof.keyEarlier' as const);
}
