import { useLanguage } from '../i18n/language.js';

/** `Paid 699 of 711, usually in 27 sec, 95 % within 5 min; 2 disputes accepted.`: a record in a sentence. */
export function RecordSentence({
  record,
}: {
  record: {
    filled: number;
    outcomes: number;
    p50SettleSeconds: number | null;
    p95SettleSeconds: number | null;
    acceptedDisputes?: number;
  };
}) {
  const { t, formats } = useLanguage();
  const { filled, outcomes, p50SettleSeconds: p50, p95SettleSeconds: p95, acceptedDisputes = 0 } = record;
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
