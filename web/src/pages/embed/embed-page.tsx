import type { CorridorAnswer } from '@fairlead/contract/client';
import { useRoute } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { Empty } from '../../components/empty.js';
import { Notice } from '../../components/notice.js';
import { ProblemNotice } from '../../components/problem-notice.js';
import { Skeleton } from '../../components/skeleton.js';
import { useDocumentTitle } from '../../components/use-document-title.js';
import { corridorsQuestion } from '../../data/corridors.js';
import { useAnswer } from '../../data/use-answer.js';
import { useLanguage } from '../../i18n/language.js';
import { LiveMark } from '../rates/live-mark.js';
import { MissingAnchors } from '../rates/missing-anchors.js';
import { QuotesTable } from '../rates/quotes-table.js';
import { codesOf } from '../rates/texts.js';
import { useBoard } from '../rates/use-board.js';
import { useRatesView } from '../rates/use-rates-view.js';
import styles from './embed-page.module.css';

/** One corridor's board, for a frame in somebody else's page: it reads, and its links open the service beside it. */
export function EmbedPage() {
  const { t } = useLanguage();
  const { params } = useRoute();
  const id = params.corridor?.toLowerCase() ?? '';
  const corridors = useAnswer(corridorsQuestion);
  return (
    <main class={styles.embed}>
      <AnswerView answer={corridors} lines={6}>
        {(all) => {
          const corridor = all.find((each) => each.id === id);
          if (corridor !== undefined) return <EmbeddedBoard corridor={corridor} />;
          return <Notice tone="warn" title={t('rates.embedUnknown', { corridor: id })} />;
        }}
      </AnswerView>
    </main>
  );
}

function EmbeddedBoard({ corridor }: { corridor: CorridorAnswer }) {
  const { t, formats } = useLanguage();
  const view = useRatesView(corridor);
  const { answer, before, liveness } = useBoard(corridor, view.asked);
  const shown = answer.value ?? before;
  const { stablecoin, currency } = codesOf(corridor);
  const amount =
    view.asked.receive === undefined
      ? formats.asset(view.asked.amount ?? corridor.referenceAmount, stablecoin)
      : formats.money(view.asked.receive, currency);
  const title = t('rates.embedTitle', { from: stablecoin, to: currency, amount });
  useDocumentTitle(title);
  return (
    <>
      <header class={styles.head}>
        <h1 tabIndex={-1}>{title}</h1>
        {shown !== undefined && liveness !== undefined && (
          <LiveMark liveness={liveness} asOf={shown.asOf} isStale={shown.stale} />
        )}
      </header>
      {answer.problem !== undefined && <ProblemNotice answer={answer} />}
      {shown === undefined && answer.problem === undefined && <Skeleton lines={6} />}
      {shown !== undefined && (
        <>
          {shown.quotes.length === 0 ? (
            <Empty title={t('rates.noQuotes')} />
          ) : (
            <QuotesTable
              answer={shown}
              sort={view.sort}
              opened={view.opened}
              onOpen={view.open}
              place="embed"
            />
          )}
          <MissingAnchors unavailable={shown.unavailable} corridor={corridor} place="embed" />
        </>
      )}
      <footer class={styles.foot}>
        <a href={`/rates/${corridor.id}${location.search}`} target="_blank" rel="noopener">
          {t('rates.embedMore')}
        </a>
      </footer>
    </>
  );
}
