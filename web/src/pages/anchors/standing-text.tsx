import { useLanguage } from '../../i18n/language.js';
import styles from './figures.module.css';
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
