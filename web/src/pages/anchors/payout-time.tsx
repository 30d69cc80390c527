import { useLanguage } from '../../i18n/language.js';
import styles from './figures.module.css';

/** The typical time from payment to payout, and below it the slow one. */
export function PayoutTime({ p50, p95 }: { p50: number | null; p95: number | null }) {
  const { t, formats } = useLanguage();
  if (p50 === null) return <span class={styles.soft}>{t('anchors.notKnown')}</span>;
  return (
    <>
      {formats.duration(p50)}
      {p95 !== null && (
        <span class={styles.below}>{t('anchors.slowTime', { time: formats.duration(p95) })}</span>
      )}
    </>
  );
}
