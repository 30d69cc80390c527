import type { LeaderboardAnswer, LeaderboardEntry } from '@fairlead/contract/client';
import { AnswerView } from '../../components/answer-view.js';
import { Text } from '../../components/inline.js';
import { Empty, SimulatedBanner } from '../../components/notice.js';
import { PageHeading } from '../../components/page-parts.js';
import { RecordSentence } from '../../components/record-sentence.js';
import { corridorsQuestion } from '../../data/corridors.js';
import { useAnswer } from '../../data/use-answer.js';
import { shortName } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './anchors.module.css';
import { leaderboardQuestion } from './questions.js';
import { RecordChoices } from './record-choices.js';
import { ComputedAt, StandingText, StandsStill } from './record-marks.js';
import { type RecordView, useRecordView } from './use-record-view.js';

/** The anchors as recommendations, the surest first; a corridor and a window can be chosen. */
export function LeaderboardPage() {
  const { t } = useLanguage();
  const view = useRecordView();
  const answer = useAnswer(leaderboardQuestion(view));
  const corridors = useAnswer(corridorsQuestion);
  return (
    <>
      <PageHeading title={t('anchors.title')}>
        <Text of="anchors.lead" />
      </PageHeading>
      <SimulatedBanner isShown={answer.value?.items.every(({ simulated }) => simulated) ?? false} />
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
  if (board.items.length === 0)
    return (
      <Empty title={t('anchors.noAnchors')}>
        <p>{t('anchors.noAnchorsAbout')}</p>
      </Empty>
    );
  return (
    <>
      <StandsStill since={board.standsStillSince} />
      <h2>{t('anchors.ranking')}</h2>
      {ranked.length === 0 && <Empty title={t('anchors.nobodyRanked')} />}
      <Entries entries={ranked} view={view} />
      {unranked.length > 0 && (
        <>
          <h2>{t('anchors.unranked')}</h2>
          <p class={styles.note}>
            <Text of="anchors.unrankedAbout" />
          </p>
          <Entries entries={unranked} view={view} />
        </>
      )}
      <ComputedAt instant={board.computedAt} />
    </>
  );
}

function Entries({ entries, view }: { entries: readonly LeaderboardEntry[]; view: RecordView }) {
  const { t, formats } = useLanguage();
  return (
    <ol class={styles.board}>
      {entries.map((entry) => (
        <li key={entry.anchorId}>
          <h3>
            {entry.rank !== null && `${entry.rank}. `}
            <a href={`/anchors/${entry.anchorId}${view.search}`}>{shortName(entry)}</a>
          </h3>
          <p class={styles.points}>
            {entry.score === null ? (
              <StandingText record={entry} />
            ) : (
              <>
                <strong class={styles.score}>{formats.points(entry.score)}</strong>{' '}
                <span class={styles.soft}>
                  {t('anchors.of100')}
                  <br />
                  {t(`anchors.advice_${adviceOf(entry)}`)}
                </span>
              </>
            )}
          </p>
          <p class={styles.sentence}>
            <RecordSentence record={entry} />
          </p>
        </li>
      ))}
    </ol>
  );
}

/** What a score means for somebody who has to choose. */
function adviceOf({ score, filled, outcomes, meanShortfall }: LeaderboardEntry) {
  if (Number(score) >= 80) return 'sure';
  if (Number(score) < 50) return 'avoid';
  return filled / outcomes >= 0.98 && Number(meanShortfall) < 0.005 ? 'slow' : 'care';
}
