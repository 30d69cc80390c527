import { TimeAgo } from '../../components/time-ago.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './live-mark.module.css';
import type { Liveness } from './liveness.js';

const texts: Readonly<Record<Liveness, TextKey>> = {
  live: 'rates.live',
  asking: 'rates.liveAsking',
  reconnecting: 'rates.liveReconnecting',
  offline: 'rates.liveOffline',
};

/** Whether the board is live, and how old the oldest quote in it is. */
export function LiveMark(props: { liveness: Liveness; asOf: string; isStale: boolean }) {
  const { liveness, asOf, isStale } = props;
  const { t } = useLanguage();
  return (
    <p class={styles.mark} data-liveness={liveness}>
      <span class={styles.dot} />
      <strong>{t(texts[liveness])}</strong>
      <span>
        {t('rates.oldestQuote')} <TimeAgo instant={asOf} />
      </span>
      {isStale && <span class={styles.stale}>{t('rates.stale')}</span>}
    </p>
  );
}
