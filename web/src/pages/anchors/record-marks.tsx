import { TimeAgo } from '../../components/inline.js';
import { Notice } from '../../components/notice.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './anchors.module.css';
import { type Judged, leastAccountDays, leastDays90, leastOutcomes, standingOf } from './standing.js';

/** Why there is no score yet, in plain words. */
export function StandingText({ record }: { record: Judged }) {
  const { t } = useLanguage();
  const standing = standingOf(record);
  if (standing === 'scored') return null;
  const { outcomes, accountDays, days90: days } = record;
  const least = { leastOutcomes, leastAccountDays, leastDays: leastDays90 };
  return (
    <span class={styles.soft}>
      {t(`anchors.standing_${standing}`, { outcomes, accountDays, days, ...least })}
    </span>
  );
}

/** By how much payouts fell short of the anchor's own quotes, and how many could be compared. */
export function Shortfall(props: {
  record: { meanShortfall: string | null; quotedOutcomes: number; filled: number };
}) {
  const { meanShortfall, quotedOutcomes, filled } = props.record;
  const { t, formats } = useLanguage();
  if (meanShortfall === null) return <span class={styles.soft}>{t('anchors.noQuotes')}</span>;
  return (
    <>
      {formats.smallShare(meanShortfall)}
      {quotedOutcomes < filled && (
        <span class={styles.below}>{t('anchors.quotedOf', { quoted: quotedOutcomes, filled })}</span>
      )}
    </>
  );
}

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
