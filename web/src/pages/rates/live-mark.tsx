import { TimeAgo } from '../../components/inline.js';
import { useLanguage } from '../../i18n/language.js';
import type { Liveness } from './liveness.js';
import styles from './offers.module.css';

/** Whether the offers are live, and how old the oldest of them is. */
export function LiveMark({ liveness, asOf }: { liveness: Liveness; asOf: string }) {
  const { t } = useLanguage();
  return (
    <p class={styles.live} data-liveness={liveness}>
      <span class={styles.dot} /> {t(`rates.live_${liveness}`)} · {t('rates.oldestQuote')}{' '}
      <TimeAgo instant={asOf} />
    </p>
  );
}
