import type { RateQuote, RatesAnswer } from '@fairlead/contract/client';
import { codeOf } from '../../data/corridors.js';

import { subtractDecimals } from '../../figures/decimal.js';
import { useLanguage } from '../../i18n/language.js';
import { methodName } from '../../i18n/translate.js';
import { codesOf } from './offer-reason.js';
import styles from './offers.module.css';

/** What a quote is made of, and what it is compared with. */
export function QuoteParts({ quote, answer }: { quote: RateQuote; answer: RatesAnswer }) {
  const { t, formats } = useLanguage();
  const { estimate, cost, fee, deliveryMethod } = quote;
  const { currency, stablecoin } = codesOf(answer);
  return (
    <>
      <WorthLedger quote={quote} currency={currency} />
      <ul class={styles.facts}>
        <li>{t('rates.factRate', { rate: formats.money(quote.rate, currency), code: stablecoin })}</li>
        {fee !== null && (
          <li>
            {t('rates.factFee', {
              fee: formats[fee.asset.startsWith('iso4217:') ? 'money' : 'asset'](
                fee.total,
                codeOf(fee.asset),
              ),
            })}
          </li>
        )}
        {quote.adjusted && (
          <li>{t('rates.factAdjusted', { amount: formats.asset(quote.sellAmount, stablecoin) })}</li>
        )}
        {cost !== null && (
          <li>
            {t('rates.factReference', {
              rate: formats.money(cost.reference.rate, currency),
              source: cost.reference.source,
              date: formats.day(dayIn(cost.reference.date)),
            })}
          </li>
        )}
        <li>
          {deliveryMethod === null
            ? t('rates.factAnyMethod')
            : t('rates.factMethod', { method: methodName(deliveryMethod, t) })}
        </li>
        <li>
          {estimate === null
            ? t('rates.factOwnPrice')
            : t('rates.factEstimate', {
                fixed: formats.asset(estimate.feeFixed, stablecoin),
                percent: formats.perCent(estimate.feePercent),
                date: formats.day(dayIn(estimate.fxDate)),
              })}
        </li>
        {quote.unranked !== null && answer.band !== null && (
          <li>
            {t('rates.factBand', {
              low: formats.money(answer.band.low, currency),
              high: formats.money(answer.band.high, currency),
            })}
          </li>
        )}
      </ul>
    </>
  );
}

/** The reference names a day, which is the same one in every time zone, or an instant of it. */
function dayIn(date: string): string {
  return date.slice(0, 10);
}

/** From this many outcomes on, an anchor is judged by its own record alone. */
const wholeRecord = 30;

/** From the promise of a quote to its expected worth: what the anchor's record subtracts, line by line. */
function WorthLedger({ quote, currency }: { quote: RateQuote; currency: string }) {
  const { t, formats } = useLanguage();
  const { receiveAmount, expectedReceive, worth, reputation } = quote;
  const { outcomes, fillRate, p50SettleSeconds, meanShortfall } = reputation;
  const money = (amount: string) => formats.money(amount, currency);
  const less = (amount: string) => `− ${money(amount)}`;
  const shortfall =
    meanShortfall === null
      ? t('rates.ledgerUnknown')
      : t('rates.ledgerShortfallOf', { share: formats.smallShare(meanShortfall) });
  const record =
    fillRate === null
      ? t('rates.ledgerUnknown')
      : p50SettleSeconds === null
        ? t('rates.ledgerNoTime', { share: formats.percent(fillRate) })
        : t('rates.ledgerRecordOf', {
            share: formats.percent(fillRate),
            time: formats.duration(p50SettleSeconds),
          });
  return (
    <div>
      <dl class={styles.ledger}>
        <dt>{t('rates.ledgerPromised')}</dt>
        <dd>{money(receiveAmount)}</dd>
        <dt>
          {t('rates.ledgerShortfall')} <small>{shortfall}</small>
        </dt>
        <dd>{less(subtractDecimals(receiveAmount, expectedReceive))}</dd>
        <dt>{t('rates.ledgerExpected')}</dt>
        <dd>{money(expectedReceive)}</dd>
        <dt>
          {t('rates.ledgerRisk')} <small>{record}</small>
        </dt>
        <dd>{less(subtractDecimals(expectedReceive, worth))}</dd>
        <dt class={styles.result}>{t('rates.ledgerWorth')}</dt>
        <dd class={styles.result}>{money(worth)}</dd>
      </dl>
      <p class={styles.soft}>
        {t('rates.ledgerNote')}
        {outcomes < wholeRecord && ` ${t('rates.ledgerNewcomer', { outcomes, whole: wholeRecord })}`}
      </p>
    </div>
  );
}
