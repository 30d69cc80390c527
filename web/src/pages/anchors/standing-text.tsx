import { useLanguage } from '../../i18n/language.js';
import styles from './figures.module.css';
import { type Judged, leastAccountDays, leastOutcomes, standingOf } from './standing.js';

/** Why there is no score yet, in plain words. */
export function StandingText({ record }: { record: Judged }) {
  const { t } = useLanguage();
  const { outcomes, accountDays } = record;
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
    case 'spreadThin':
      return (
        <span class={styles.soft}>
          {t('anchors.standingSpread', { outcomes: leastOutcomes, accountDays: leastAccountDays })}
        </span>
      );
  }
}
