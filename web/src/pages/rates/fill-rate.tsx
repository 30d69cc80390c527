import type { RateQuoteReputation } from '@fairlead/contract/client';
import { IntervalMark } from '../../components/interval-mark.js';
import { wilsonInterval } from '../../figures/wilson.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './quotes-table.module.css';

/** The share of withdrawals that were paid out, drawn with how sure it is. */
export function FillRate(props: { reputation: RateQuoteReputation; scale: number }) {
  const { reputation, scale } = props;
  const { t, formats } = useLanguage();
  const { fillRate, outcomes } = reputation;
  const share = Number(fillRate);
  const interval = fillRate === null ? null : wilsonInterval(Math.round(share * outcomes), outcomes);
  if (fillRate === null || interval === null)
    return <small class={styles.words}>{t('rates.noOutcomes')}</small>;
  const label = t('rates.fillRateLabel', {
    share: formats.percent(fillRate),
    outcomes,
    low: formats.percent(interval.low),
    high: formats.percent(interval.high),
  });
  return (
    <div class={styles.fill}>
      <IntervalMark {...interval} point={share} min={scale} label={label} />
      <small aria-hidden="true">
        {t('rates.fillRateOf', { share: formats.percent(fillRate), outcomes })}
      </small>
    </div>
  );
}
