import { useLanguage } from '../../i18n/language.js';
import styles from './figures.module.css';
import { type Judged, leastAccountDays, leastDays90, leastOutcomes, standingOf } from './standing.js';

/** Why there is no score yet, in plain words. */
export function StandingText({ record }: { record: Judged }) {
  const { t } = useLanguage();
  const { outcomes, accountDays, days90 } = record;
  switch (standingOf(record)) {
    case 'scored':
      return null;
    case 'unused':
      return <span class={styles.soft}>{t('anchors.standingUnused')}</span>;
    case 'fewOutcomes':
      return (
        <span class={styles.soft}>{t('anchors.standingOutcomes', { outcomes, least: leastOutcomes })}</span>
      );
    case 'fewAccountDays':
      return (
        <span class={styles.soft}>
          {t('anchors.standingAccountDays', { accountDays, least: leastAccountDays })}
        </span>
      );
    case 'fewDays':
      return (
        <span class={styles.soft}>{t('anchors.standingDays', { days: days90, least: leastDays90 })}</span>
      );
    case 'spreadThin':
      return (
        <span class={styles.soft}>
          {t('anchors.standingSpread', {
            outcomes: leastOutcomes,
            accountDays: leastAccountDays,
            days: leastDays90,
          })}
        </span>
      );
  }
}
