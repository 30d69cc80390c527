import type { LeaderboardEntry } from '@fairlead/contract/client';
import { useLanguage } from '../i18n/language.js';

/** `Paid 699 of 711, usually in 27 sec, 95 % within 5 min; 2 disputes accepted.`: a record in a sentence. */
export function RecordSentence(props: {
  record: Pick<LeaderboardEntry, 'filled' | 'outcomes' | 'p50SettleSeconds' | 'p95SettleSeconds'> &
    Partial<Pick<LeaderboardEntry, 'acceptedDisputes'>>;
}) {
  const { t, formats } = useLanguage();
  const {
    filled,
    outcomes,
    p50SettleSeconds: p50,
    p95SettleSeconds: p95,
    acceptedDisputes = 0,
  } = props.record;
  if (outcomes === 0) return <>{t('common.noOutcomes')}</>;
  return (
    <>
      {t('common.paid', { paid: filled, outcomes })}
      {p50 !== null && `, ${t('common.usually', { time: formats.duration(p50) })}`}
      {p95 !== null && `, ${t('common.nearlyAll', { time: formats.duration(p95) })}`}
      {acceptedDisputes > 0 && t('common.disputesAccepted', { count: acceptedDisputes })}
    </>
  );
}
