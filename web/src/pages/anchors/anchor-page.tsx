import type { AnchorAnswer } from '@fairlead/contract/client';
import { useRoute } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { Empty } from '../../components/empty.js';
import { Notice } from '../../components/notice.js';
import { PageHeading } from '../../components/page-heading.js';
import { Tag } from '../../components/tag.js';
import { type Answered, useAnswer } from '../../data/use-answer.js';
import { shortName } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './anchor-page.module.css';
import { HistoryCard } from './history-card.js';
import { IdentityCard } from './identity-card.js';
import { ObservationsCard } from './observations-card.js';
import { anchorQuestion, reputationQuestion } from './questions.js';
import { RecordCards } from './record-cards.js';
import { RecordChoices } from './record-choices.js';
import { StartCard } from './start-card.js';
import { type RecordView, useRecordView } from './use-record-view.js';

/** Everything about one anchor: its score and what it is made of, its history, what was observed, how to start there. */
export function AnchorPage() {
  const { t } = useLanguage();
  const { anchorId = '' } = useRoute().params;
  const view = useRecordView();
  const anchor = useAnswer(anchorQuestion(anchorId));
  const isUnknown = saysUnknown(anchor);
  const reputation = useAnswer(isUnknown ? undefined : reputationQuestion(anchorId, view));

  if (isUnknown)
    return (
      <>
        <PageHeading title={t('anchors.unknown')} />
        <Empty title={t('anchors.unknownTitle', { anchorId })}>
          <p>{t('anchors.unknownAbout')}</p>
          <p>
            <a href={`/anchors${view.search}`}>{t('anchors.toRanking')}</a>
          </p>
        </Empty>
      </>
    );

  const name =
    anchor.value === undefined
      ? anchorId
      : shortName({ anchorName: anchor.value.name, simulated: anchor.value.simulated });
  const corridors = new Set([
    ...(anchor.value?.corridors.map(({ corridor }) => corridor) ?? []),
    ...(reputation.value?.corridors.map(({ corridor }) => corridor) ?? []),
  ]);
  return (
    <>
      <p class={styles.back}>
        <a href={`/anchors${view.search}`}>{t('anchors.toRanking')}</a>
      </p>
      <PageHeading title={name}>
        {anchor.value !== undefined && <Lead anchor={anchor.value} view={view} />}
      </PageHeading>
      <RecordChoices view={view} corridors={[...corridors].sort()} />
      <AnswerView answer={reputation} lines={18}>
        {(record) => (
          <RecordCards record={record} view={view}>
            <HistoryCard anchorId={anchorId} view={view} />
          </RecordCards>
        )}
      </AnswerView>
      <ObservationsCard anchorId={anchorId} view={view} />
      <AnswerView answer={anchor} lines={4}>
        {(value) => (
          <>
            {value.start.length > 0 && <StartCard anchor={value} view={view} />}
            <IdentityCard anchor={value} />
          </>
        )}
      </AnswerView>
    </>
  );
}

function saysUnknown({ problem }: Answered<unknown>): boolean {
  return problem !== undefined && 'body' in problem && problem.body.code === 'UNKNOWN_ANCHOR';
}

/** What one has to know before the figures. */
function Lead({ anchor, view }: { anchor: AnchorAnswer; view: RecordView }) {
  const { t } = useLanguage();
  return (
    <div class={styles.lead}>
      <p class={styles.tags}>
        {anchor.simulated && <Tag text={t('anchors.simulated')} title={t('anchors.simulatedAbout')} />}
        {anchor.homeDomain !== null && <span>{anchor.homeDomain}</span>}
        <a href={`/proof/${anchor.id}${view.proofSearch}`}>{t('anchors.toProof')}</a>
      </p>
      {anchor.note !== null && <p>{anchor.note}</p>}
      {anchor.status === 'delisted' && (
        <Notice tone="warn" title={t('anchors.delisted')}>
          <p>{t('anchors.delistedAbout')}</p>
        </Notice>
      )}
      {anchor.status === 'refused' && (
        <Notice tone="bad" title={t('anchors.refused')}>
          <p>{t('anchors.refusedAbout')}</p>
        </Notice>
      )}
    </div>
  );
}
