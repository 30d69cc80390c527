import type { RateQuote, RatesAnswer } from '@fairlead/contract/client';
import { shortName } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { methodName } from '../../i18n/method-name.js';
import { AnchorLink, type BoardPlace } from './anchor-link.js';
import styles from './quotes-table.module.css';
import type { Codes } from './texts.js';
import { WorthLedger } from './worth-ledger.js';

/** The parts of a quote, and where a wallet continues. */
export function QuoteDetails(props: {
  quote: RateQuote;
  answer: RatesAnswer;
  codes: Codes;
  place: BoardPlace;
}) {
  const { quote, answer, codes, place } = props;
  const { t, formats } = useLanguage();
  const { anchorId, estimate, cost, deliveryMethod } = quote;
  return (
    <div class={styles.unfolded}>
      <WorthLedger quote={quote} codes={codes} />
      <ul class={styles.facts}>
        <li>
          {t('rates.factRate', {
            rate: formats.money(quote.rate, codes.currency),
            code: codes.stablecoin,
          })}
        </li>
        {cost !== null && (
          <li>
            {t('rates.factReference', {
              rate: formats.money(cost.reference.rate, codes.currency),
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
                fixed: formats.asset(estimate.feeFixed, codes.stablecoin),
                percent: formats.number(estimate.feePercent, { style: 'unit', unit: 'percent' }),
                date: formats.day(dayIn(estimate.fxDate)),
              })}
        </li>
        {quote.unranked !== null && answer.band !== null && (
          <li>
            {t('rates.factBand', {
              low: formats.money(answer.band.low, codes.currency),
              high: formats.money(answer.band.high, codes.currency),
            })}
          </li>
        )}
        <li>
          <AnchorLink anchorId={anchorId} place={place}>
            {t('rates.howToStart', { anchor: shortName(quote) })}
          </AnchorLink>
        </li>
      </ul>
    </div>
  );
}

/** The reference names a day, which is the same one in every time zone, or an instant of it. */
function dayIn(date: string): string {
  return date.slice(0, 10);
}
