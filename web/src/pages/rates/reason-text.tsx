import type { CorridorAnswer, RateQuote, RatesAnswer } from '@fairlead/contract/client';
import { useLanguage } from '../../i18n/language.js';
import { codesOf, reasonOf } from './offer-reason.js';

/** Why an offer stands where it stands, in a sentence or two. */
export function ReasonText(props: { quote: RateQuote; answer: RatesAnswer; corridor: CorridorAnswer }) {
  const { quote, answer, corridor } = props;
  const { t, formats } = useLanguage();
  const { currency, stablecoin } = codesOf(answer);
  const money = (amount: string) => formats.money(amount, currency);
  if (quote.unranked !== null) return <>{t(`rates.unranked_${quote.unranked}`)}</>;
  const reason = reasonOf(quote, answer, corridor.speedTargetSeconds);
  if (reason.kind === 'first')
    return (
      <>
        {t(`rates.first_${reason.why}`, {
          anchor: reason.other ?? '',
          better: money(reason.better ?? '0'),
          more: money(reason.more ?? '0'),
        })}
      </>
    );
  const { reputation } = quote;
  return (
    <>
      {t(`rates.cause_${reason.cause}`, {
        most: String(reason.isMost),
        of: Math.round(1 / (1 - Number(reputation.fillRate ?? 0))),
        time: formats.duration(reputation.p50SettleSeconds ?? 0),
        share: formats.smallShare(reputation.meanShortfall ?? '0'),
        outcomes: reputation.outcomes,
        amount: formats.asset(quote.sellAmount, stablecoin),
        less: money(reason.less),
      })}{' '}
      {reason.behind !== undefined && t('rates.behind', { amount: money(reason.behind) })}
    </>
  );
}
