import type { CorridorAnswer, RatesAnswer } from '@fairlead/contract/client';
import { useEffect, useState } from 'preact/hooks';
import { ProblemNotice, Skeleton } from '../../components/answer-view.js';
import { Notice } from '../../components/notice.js';
import { anchorNames, shortName } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { Offer } from './offer.js';
import { codesOf } from './offer-reason.js';
import styles from './offers.module.css';
import { orderQuotes, type Sort } from './order-quotes.js';
import type { Board } from './use-board.js';

type Unavailable = RatesAnswer['unavailable'];

/** The offers of a corridor, in whatever state they are, and the anchors that make none. */
export function Offers(props: { board: Board; corridor: CorridorAnswer; sort: Sort; isOfBefore: boolean }) {
  const { board, corridor, sort, isOfBefore } = props;
  const { t } = useLanguage();
  const { answer, shown, isAmountRefused, unavailable } = board;
  if (unavailable !== undefined)
    return (
      <Notice tone="plain" title={t('rates.nobody')}>
        <p>{t('rates.nobodyAbout')}</p>
        <Missing unavailable={unavailable} corridor={corridor} />
      </Notice>
    );
  return (
    <>
      {answer.problem !== undefined && !isAmountRefused && <ProblemNotice answer={answer} />}
      <BestAloud answer={answer.value} />
      {shown === undefined && answer.problem === undefined && <Skeleton lines={7} />}
      {shown !== undefined && (
        <div
          class={`${styles.answer} ${isOfBefore ? styles.before : ''}`}
          aria-busy={isOfBefore && answer.isAsking}
        >
          <List answer={shown} corridor={corridor} sort={sort} />
          {shown.unavailable.length > 0 && (
            <section class={styles.missing} aria-labelledby="missing-anchors">
              <h2 id="missing-anchors">{t('rates.missing', { count: shown.unavailable.length })}</h2>
              <Missing unavailable={shown.unavailable} corridor={corridor} />
            </section>
          )}
        </div>
      )}
    </>
  );
}

function List({ answer, corridor, sort }: { answer: RatesAnswer; corridor: CorridorAnswer; sort: Sort }) {
  const { t } = useLanguage();
  const quotes = orderQuotes(answer.quotes, sort);
  const nameOf = anchorNames([corridor]);
  const list = (title: string, isRanked: boolean) => {
    const some = quotes.filter(({ unranked }) => (unranked === null) === isRanked);
    if (some.length === 0) return null;
    return (
      <section class={styles.list} aria-label={title}>
        <h2>{title}</h2>
        <ol class={styles.offers}>
          {some.map((quote) => (
            <Offer
              key={quote.anchorId}
              quote={quote}
              answer={answer}
              corridor={corridor}
              name={nameOf(quote.anchorId)}
            />
          ))}
        </ol>
      </section>
    );
  };
  return (
    <>
      {list(t('rates.offers'), true)}
      {list(t('rates.notRanked'), false)}
    </>
  );
}

/** The anchors without an offer, each with its reason. */
function Missing({ unavailable, corridor }: { unavailable: Unavailable; corridor: CorridorAnswer }) {
  const { t } = useLanguage();
  const nameOf = anchorNames([corridor]);
  return (
    <ul class={styles.reasons}>
      {unavailable.map(({ anchorId, reason }) => (
        <li key={anchorId}>
          <a href={`/anchors/${anchorId}`}>{nameOf(anchorId)}</a>
          <p class={styles.soft}>{t(`rates.reason_${reason}`)}</p>
        </li>
      ))}
    </ul>
  );
}

/** Announces the best offer to screen readers when it is known, and when another anchor makes it; not every figure. */
function BestAloud({ answer }: { answer: RatesAnswer | undefined }) {
  const { t, formats } = useLanguage();
  const [said, setSaid] = useState('');
  const best = answer?.quotes.find(({ anchorId }) => anchorId === answer.best?.anchorId);
  useEffect(() => {
    if (answer === undefined || best === undefined) return;
    const { currency, stablecoin } = codesOf(answer);
    setSaid(
      t('rates.bestAloud', {
        anchor: shortName(best),
        sold: formats.asset(best.sellAmount, stablecoin),
        received: formats.money(best.receiveAmount, currency),
      }),
    );
  }, [best?.anchorId, answer?.corridor, answer?.receive, answer?.receive === null && answer.amount]);
  return (
    <p class="visually-hidden" role="status">
      {said}
    </p>
  );
}
