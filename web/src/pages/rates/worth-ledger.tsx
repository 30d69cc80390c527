import type { RateQuote } from '@fairlead/contract/client';
import { subtractDecimals } from '../../figures/decimal.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './offers.module.css';

/** From this many outcomes on, an anchor is judged by its own record alone. */
const wholeRecord = 30;

/** From the promise of a quote to its expected worth: what the anchor's record subtracts, line by line. */
export function WorthLedger({ quote, currency }: { quote: RateQuote; currency: string }) {
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
