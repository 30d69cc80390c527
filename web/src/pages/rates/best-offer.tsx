import type { RatesAnswer } from '@fairlead/contract/client';
import { Changing } from '../../components/changing.js';
import { shortName } from '../../figures/anchor-name.js';
import { type Language, useLanguage } from '../../i18n/language.js';
import { AnchorLink } from './anchor-link.js';
import styles from './best-offer.module.css';
import { type Codes, codesOf } from './texts.js';
import { type WhyBest, whyBest } from './why-best.js';
import { WorthLedger } from './worth-ledger.js';

/** The best offer, large, and why it is the best. */
export function BestOffer({ answer }: { answer: RatesAnswer }) {
  const language = useLanguage();
  const { t, formats } = language;
  const codes = codesOf(answer);
  const best = answer.quotes.find(({ anchorId }) => anchorId === answer.best?.anchorId);
  if (best === undefined) return null;
  const { anchorId, sellAmount, receiveAmount, cost } = best;
  const received = formats.money(receiveAmount, codes.currency);
  const sold = formats.asset(sellAmount, codes.stablecoin);
  const isForPayout = answer.receive !== null;
  return (
    <section class={styles.best} aria-label={t('rates.bestOffer')}>
      <div class={styles.offer}>
        <p class={styles.label}>{t('rates.bestOffer')}</p>
        <p class={styles.anchor}>
          <AnchorLink anchorId={anchorId} place="page">
            {shortName(best)}
          </AnchorLink>
        </p>
        <p class={styles.figure}>
          <Changing value={isForPayout ? sold : received}>{isForPayout ? sold : received}</Changing>
        </p>
        <p class={styles.for}>
          {isForPayout ? t('rates.toPayOut', { amount: received }) : t('rates.forAmount', { amount: sold })}
          {cost !== null && ` · ${t('rates.costOf', { cost: formats.number(cost.percent, percentStyle) })}`}
        </p>
        <p>{sentenceOf(whyBest(answer, best), codes, language)}</p>
      </div>
      <WorthLedger quote={best} codes={codes} />
    </section>
  );
}

/** `0.89` is `0.89 %`: costs come in per cent already. */
export const percentStyle: Intl.NumberFormatOptions = {
  style: 'unit',
  unit: 'percent',
  minimumFractionDigits: 2,
};

function sentenceOf(why: WhyBest, { currency }: Codes, { t, formats }: Language): string {
  if (why.why !== 'whyWorthMore') return t(`rates.${why.why}`, 'anchor' in why ? { anchor: why.anchor } : {});
  return t('rates.whyWorthMore', {
    anchor: why.anchor,
    more: formats.money(why.more, currency),
    less: formats.money(why.less, currency),
  });
}
