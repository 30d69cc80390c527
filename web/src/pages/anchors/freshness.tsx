import { Notice } from '../../components/notice.js';
import { TimeAgo } from '../../components/time-ago.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './figures.module.css';

/** When the scores were computed. */
export function ComputedAt({ instant }: { instant: string | null }) {
  const { t } = useLanguage();
  if (instant === null) return <span class={styles.soft}>{t('anchors.notComputed')}</span>;
  return (
    <span class={styles.soft}>
      {t('anchors.computed')} <TimeAgo instant={instant} />
    </span>
  );
}

/** Says that the scores do not move, since the ledger does not answer. */
export function StandsStill({ since }: { since: string | null }) {
  const { t, formats } = useLanguage();
  if (since === null) return null;
  return (
    <Notice tone="warn" title={t('anchors.standsStill')}>
      <p>{t('anchors.standsStillAbout', { time: formats.dateTime(since) })}</p>
    </Notice>
  );
}
