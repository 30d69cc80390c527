import type { CorridorAnswer, RatesAnswer } from '@fairlead/contract/client';
import { useEffect, useState } from 'preact/hooks';
import { Choice } from '../../components/choice.js';
import { Empty } from '../../components/empty.js';
import { ProblemNotice } from '../../components/problem-notice.js';
import { Skeleton } from '../../components/skeleton.js';
import { shortName } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { BestOffer } from './best-offer.js';
import styles from './board.module.css';
import { LiveMark } from './live-mark.js';
import { MissingAnchors } from './missing-anchors.js';
import { type Sort, sorts } from './order-quotes.js';
import { QuotesTable } from './quotes-table.js';
import { codesOf, sortTexts } from './texts.js';
import type { Board as BoardState } from './use-board.js';

/** The offers of a corridor, in whatever state they are. */
export function Board(props: {
  board: BoardState;
  corridor: CorridorAnswer;
  sort: Sort;
  onSort: (sort: Sort) => void;
  opened: string;
  onOpen: (anchorId: string) => void;
}) {
  const { board, corridor, sort, onSort, opened, onOpen } = props;
  const { t } = useLanguage();
  const { answer, before, liveness, isAmountRefused } = board;
  const shown = answer.value ?? before;
  const isOfBefore = answer.value === undefined && shown !== undefined;
  return (
    <>
      {answer.problem !== undefined && !isAmountRefused && <ProblemNotice answer={answer} />}
      <div class={styles.bar}>
        <Choice
          legend={t('rates.sort')}
          isLegendHidden
          value={sort}
          options={sorts.map((value) => ({ value, label: t(sortTexts[value]) }))}
          onChoose={onSort}
        />
        {shown !== undefined && liveness !== undefined && (
          <LiveMark liveness={liveness} asOf={shown.asOf} isStale={shown.stale} />
        )}
      </div>
      <BestAloud answer={answer.value} />
      {shown === undefined && answer.problem === undefined && <Skeleton lines={7} />}
      {shown !== undefined && (
        <div
          class={`${styles.answer} ${isOfBefore ? styles.before : ''}`}
          aria-busy={isOfBefore && answer.problem === undefined}
        >
          {shown.quotes.length === 0 ? (
            <Empty title={t('rates.noQuotes')}>{t('rates.noQuotesWhy')}</Empty>
          ) : (
            <>
              <BestOffer answer={shown} />
              <QuotesTable answer={shown} sort={sort} opened={opened} onOpen={onOpen} place="page" />
            </>
          )}
          <MissingAnchors unavailable={shown.unavailable} corridor={corridor} place="page" />
        </div>
      )}
    </>
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
