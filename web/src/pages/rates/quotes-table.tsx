import type { RatesAnswer } from '@fairlead/contract/client';
import { IntervalScale } from '../../components/interval-mark.js';
import { scaleStart, wilsonInterval } from '../../figures/wilson.js';
import { useLanguage } from '../../i18n/language.js';
import type { BoardPlace } from './anchor-link.js';
import { orderQuotes, type Sort } from './order-quotes.js';
import { QuoteRow } from './quote-row.js';
import styles from './quotes-table.module.css';
import { codesOf } from './texts.js';

/** All quotes, in the order that the reader chose; those that are not ranked come last. */
export function QuotesTable(props: {
  answer: RatesAnswer;
  sort: Sort;
  /** The anchor whose quote is unfolded. */
  opened: string;
  onOpen: (anchorId: string) => void;
  place: BoardPlace;
}) {
  const { answer, sort, opened, onOpen, place } = props;
  const { t } = useLanguage();
  const codes = codesOf(answer);
  const quotes = orderQuotes(answer.quotes, sort);
  const ranked = quotes.filter(({ unranked }) => unranked === null);
  const unranked = quotes.filter((quote) => quote.unranked !== null);
  const scale = scaleStart(
    quotes.flatMap(({ reputation: { fillRate, outcomes } }) => {
      const interval = wilsonInterval(Math.round(Number(fillRate ?? 0) * outcomes), outcomes);
      return interval === null ? [] : [interval.low];
    }),
  );
  const rows = (some: typeof quotes) =>
    some.map((quote) => (
      <QuoteRow
        key={quote.anchorId}
        quote={quote}
        answer={answer}
        codes={codes}
        scale={scale}
        place={place}
        isOpen={opened === quote.anchorId}
        onToggle={() => onOpen(opened === quote.anchorId ? '' : quote.anchorId)}
      />
    ));
  return (
    <div class={styles.board}>
      <table class={styles.quotes}>
        <caption class="visually-hidden">{t('rates.tableCaption')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('rates.columnAnchor')}</th>
            <th scope="col">{answer.receive === null ? t('rates.columnReceive') : t('rates.columnSend')}</th>
            <th scope="col">{t('rates.columnCost')}</th>
            <th scope="col">{t('rates.columnFee')}</th>
            <th scope="col">{t('rates.columnTime')}</th>
            <th scope="col">
              {t('rates.columnFillRate')}
              <IntervalScale min={scale} />
            </th>
            <th scope="col">{t('rates.columnScore')}</th>
            <th scope="col">{t('rates.columnAge')}</th>
          </tr>
        </thead>
        <tbody>{rows(ranked)}</tbody>
        {unranked.length > 0 && (
          <tbody>
            <tr class={styles.parting}>
              <th colSpan={8} scope="rowgroup">
                {t('rates.notRanked')}
              </th>
            </tr>
            {rows(unranked)}
          </tbody>
        )}
      </table>
    </div>
  );
}
