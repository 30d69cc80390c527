import { useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { useLanguage } from '../../i18n/language.js';
import { forgetOfframp, rememberedOfframps, rememberOfframp } from './remembered.js';
import styles from './remembered-list.module.css';

/** The off-ramps that this device remembers; nothing where it remembers none. */
export function RememberedList() {
  const { t } = useLanguage();
  const [hashes, setHashes] = useState(rememberedOfframps);
  const list = useRef<HTMLUListElement>(null);
  const forget = (hash: string) => {
    forgetOfframp(hash);
    const left = rememberedOfframps();
    setHashes(left);
    // The button goes with its line; where nothing is left, so does the list.
    const next = left.length > 0 ? list.current : document.querySelector('h1');
    next?.focus({ preventScroll: true });
  };
  if (hashes.length === 0) return null;
  return (
    <Card title={t('offramp.remembered')}>
      <ul class={styles.list} ref={list} tabIndex={-1}>
        {hashes.map((hash) => (
          <li key={hash}>
            <a href={`/offramp/${hash}`}>
              <code>{hash}</code>
            </a>
            <Button
              aria-label={t('offramp.forgetName', { hash: hash.slice(0, 8) })}
              onClick={() => forget(hash)}
            >
              {t('offramp.forget')}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Says whether this device remembers an off-ramp, with a button that changes that. */
export function RememberButton({ intentHash }: { intentHash: string }) {
  const { t } = useLanguage();
  const [isKept, setIsKept] = useState(() => rememberedOfframps().includes(intentHash));
  const turn = () => {
    if (isKept) forgetOfframp(intentHash);
    else rememberOfframp(intentHash);
    // A browser may forbid to keep anything.
    setIsKept(rememberedOfframps().includes(intentHash));
  };
  return (
    <div class={styles.remember}>
      <Button onClick={turn}>{isKept ? t('offramp.forget') : t('offramp.remember')}</Button>
      <small role="status">{isKept ? t('offramp.isRemembered') : t('offramp.rememberHint')}</small>
    </div>
  );
}
