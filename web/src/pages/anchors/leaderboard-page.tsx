import type { LeaderboardAnswer } from '@fairlead/contract/client';
import { AnswerView } from '../../components/answer-view.js';
import { Card } from '../../components/card.js';
import { Empty } from '../../components/empty.js';
import { PageHeading } from '../../components/page-heading.js';
import { corridorsQuestion } from '../../data/corridors.js';
import { useAnswer } from '../../data/use-answer.js';
import { scaleStart, wilsonInterval } from '../../figures/wilson.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './figures.module.css';
import { ComputedAt, StandsStill } from './freshness.js';
import { LeaderboardTable } from './leaderboard-table.js';
import { leaderboardQuestion } from './questions.js';
import { RecordChoices } from './record-choices.js';
import { type RecordView, useRecordView } from './use-record-view.js';

/** The anchors by score; a corridor and a window can be chosen. */
export function LeaderboardPage() {
  const { t } = useLanguage();
  const view = useRecordView();
  const answer = useAnswer(leaderboardQuestion(view));
  const corridors = useAnswer(corridorsQuestion);
  return (
    <>
      <PageHeading title={t('anchors.title')}>{t('anchors.lead')}</PageHeading>
      <RecordChoices view={view} corridors={corridors.value?.map(({ id }) => id) ?? []} />
      <AnswerView answer={answer} lines={8}>
        {(board) => <Leaderboard board={board} view={view} />}
      </AnswerView>
    </>
  );
}

function Leaderboard({ board, view }: { board: LeaderboardAnswer; view: RecordView }) {
  const { t } = useLanguage();
  const ranked = board.items.filter(({ rank }) => rank !== null);
  const unranked = board.items.filter(({ rank }) => rank === null);
  const lows = board.items.map(({ filled, outcomes }) => wilsonInterval(filled, outcomes)?.low);
  const table = {
    view,
    // One scale for all of them, so that marks can be compared.
    scaleMin: scaleStart(lows.filter((low) => low !== undefined)),
  };
  if (board.items.length === 0)
    return (
      <Empty title={t('anchors.noAnchors')}>
        <p>{t('anchors.noAnchorsAbout')}</p>
      </Empty>
    );
  return (
    <>
      <StandsStill since={board.standsStillSince} />
      <Card title={t('anchors.ranking')} aside={<ComputedAt instant={board.computedAt} />}>
        {ranked.length === 0 ? (
          <Empty title={t('anchors.nobodyRanked')}>
            <p>{t('anchors.nobodyRankedAbout')}</p>
          </Empty>
        ) : (
          <LeaderboardTable {...table} caption={t('anchors.ranking')} entries={ranked} />
        )}
        <p class={styles.note}>{t('anchors.markAbout')}</p>
      </Card>
      {unranked.length > 0 && (
        <Card title={t('anchors.unranked')}>
          <p class={styles.note}>{t('anchors.unrankedAbout')}</p>
          <LeaderboardTable {...table} caption={t('anchors.unranked')} entries={unranked} />
        </Card>
      )}
    </>
  );
}
