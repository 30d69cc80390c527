import { useLanguage } from '../../i18n/language.js';
import styles from './figures.module.css';

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
