import type { RateQuote, RatesAnswer } from '@fairlead/contract/client';
import { useId } from 'preact/hooks';
import { Changing } from '../../components/changing.js';
import { Tag } from '../../components/tag.js';
import { TimeAgo } from '../../components/time-ago.js';
import { codeOf } from '../../data/corridors.js';
import { shortName } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { AnchorLink, type BoardPlace } from './anchor-link.js';
import { percentStyle } from './best-offer.js';
import { FillRate } from './fill-rate.js';
import { QuoteDetails } from './quote-details.js';
import styles from './quotes-table.module.css';
import { ReasonText } from './reason-text.js';
import type { Codes } from './texts.js';

/** One anchor's quote, and below it, unfolded, what it is made of. */
export function QuoteRow(props: {
  quote: RateQuote;
  answer: RatesAnswer;
  codes: Codes;
  /** Where the scale of fill rates begins. */
  scale: number;
  place: BoardPlace;
  isOpen: boolean;
  onToggle: () => void;
}) {
  const { quote, answer, codes, scale, place, isOpen, onToggle } = props;
  const { t, formats } = useLanguage();
  const id = useId();
  const { anchorId, cost, fee, reputation } = quote;
  const name = shortName(quote);
  const isBest = answer.best?.anchorId === anchorId;
  const received = formats.money(quote.receiveAmount, codes.currency);
  const sold = formats.asset(quote.sellAmount, codes.stablecoin);
  const [figure, other] = answer.receive === null ? [received, sold] : [sold, received];
  return (
    <>
      <tr class={isBest ? styles.best : undefined}>
        <th scope="row">
          <AnchorLink anchorId={anchorId} place={place}>
            {name}
          </AnchorLink>
          <span class={styles.tags}>
            {isBest && <Tag tone="accent" text={t('rates.tagBest')} />}
            {quote.tier === 'estimate' && (
              <Tag tone="warn" text={t('rates.tagEstimate')} title={t('rates.tagEstimateWhy')} />
            )}
            {quote.simulated && <Tag text={t('rates.tagSimulated')} title={t('rates.tagSimulatedWhy')} />}
          </span>
          {quote.unranked !== null && (
            <p class={styles.reason}>
              <ReasonText reason={quote.unranked} />
            </p>
          )}
        </th>
        <td data-label={answer.receive === null ? t('rates.columnReceive') : t('rates.columnSend')}>
          <strong class={styles.figure}>
            <Changing value={figure}>{figure}</Changing>
          </strong>
          {quote.adjusted && <small>{t('rates.adjusted', { amount: other })}</small>}
          {quote.expectedReceive !== quote.receiveAmount && (
            <small>
              {t('rates.expect', { amount: formats.money(quote.expectedReceive, codes.currency) })}
            </small>
          )}
        </td>
        <td data-label={t('rates.columnCost')}>
          {cost === null ? (
            <small class={styles.words}>
              {quote.costUnavailable !== null && <ReasonText reason={quote.costUnavailable} />}
            </small>
          ) : (
            <>
              <Changing value={cost.percent}>{formats.number(cost.percent, percentStyle)}</Changing>
              <small>
                {formats.number(cost.amount, { minimumFractionDigits: 2, maximumFractionDigits: 2 })}{' '}
                {codes.stablecoin}
              </small>
            </>
          )}
        </td>
        <td data-label={t('rates.columnFee')}>
          {fee === null ? (
            <small>{t('rates.feeUnknown')}</small>
          ) : (
            formats[fee.asset.startsWith('iso4217:') ? 'money' : 'asset'](fee.total, codeOf(fee.asset))
          )}
        </td>
        <td data-label={t('rates.columnTime')}>
          {reputation.p50SettleSeconds === null ? '–' : formats.duration(reputation.p50SettleSeconds)}
          {reputation.p95SettleSeconds !== null && (
            <small>{t('rates.slowTime', { time: formats.duration(reputation.p95SettleSeconds) })}</small>
          )}
        </td>
        <td data-label={t('rates.columnFillRate')}>
          <FillRate reputation={reputation} scale={scale} />
        </td>
        <td data-label={t('rates.columnScore')}>
          {reputation.score === null ? (
            <small class={styles.words}>{t('rates.scoreNone')}</small>
          ) : (
            formats.number(reputation.score, { minimumFractionDigits: 2 })
          )}
        </td>
        <td data-label={t('rates.columnAge')}>
          <TimeAgo instant={quote.quotedAt} />
          <button
            type="button"
            class={styles.unfold}
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={t('rates.detailsOf', { anchor: name })}
            onClick={onToggle}
          >
            {t('rates.details')}
          </button>
        </td>
      </tr>
      <tr id={id} class={styles.details} hidden={!isOpen}>
        <td colSpan={8}>
          {isOpen && <QuoteDetails quote={quote} answer={answer} codes={codes} place={place} />}
        </td>
      </tr>
    </>
  );
}
