import type { AnchorAnswer, AnchorReputation } from '@fairlead/contract/client';
import { useRoute } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { Choice } from '../../components/controls.js';
import { Empty, Notice, SimulatedBanner } from '../../components/notice.js';
import { PageHeading } from '../../components/page-parts.js';
import { type Answered, useAnswer } from '../../data/use-answer.js';
import { useViewPart } from '../../data/use-view-part.js';
import { shortName, siteOf } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { IdentityCard } from './identity-card.js';
import { ObservationsCard } from './observations-card.js';
import { anchorQuestion, reputationQuestion } from './questions.js';
import { RecordChoices } from './record-choices.js';
import { RecordTab } from './record-tab.js';
import { StartCard } from './start-card.js';
import { type RecordView, useRecordView } from './use-record-view.js';
import { VerdictCard } from './verdict-card.js';

const tabs = ['record', 'start', 'observations', 'identity'] as const;

/** One anchor: the verdict on it and its score first; what these rest on, and how to sell there, in tabs. */
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

  const { value } = anchor;
  const name = value && shortName({ anchorName: value.name, simulated: value.simulated });
  return (
    <>
      <PageHeading title={name ?? '…'} documentTitle={name ?? anchorId}>
        {value !== undefined && <Lead anchor={value} ranking={`/anchors${view.search}`} />}
      </PageHeading>
      {/* Nothing is shown before it, since the heading and the banner would push it down. */}
      <AnswerView answer={anchor} lines={8}>
        {(known) => <Parts anchor={known} reputation={reputation} view={view} />}
      </AnswerView>
    </>
  );
}

function Parts(props: { anchor: AnchorAnswer; reputation: Answered<AnchorReputation>; view: RecordView }) {
  const { anchor, reputation, view } = props;
  const { t } = useLanguage();
  const [named, choose] = useViewPart('show', 'record');
  const shown = tabs.find((tab) => tab === named) ?? 'record';
  const { id, simulated } = anchor;
  const corridors = new Set(
    [...anchor.corridors, ...(reputation.value?.corridors ?? [])].map(({ corridor }) => corridor),
  );
  return (
    <>
      <SimulatedBanner isShown={simulated} />
      <RecordChoices view={view} corridors={[...corridors].sort()} />
      <AnswerView answer={reputation} lines={5}>
        {(record) => <VerdictCard record={record} view={view} proof={`/proof/${id}${view.proofSearch}`} />}
      </AnswerView>
      <Choice
        legend={t('anchors.tabs')}
        isLegendHidden
        options={tabs.map((tab) => ({ value: tab, label: t(`anchors.tab_${tab}`) }))}
        value={shown}
        onChoose={choose}
      />
      {shown === 'record' && <RecordTab anchorId={id} answer={reputation} view={view} />}
      {shown === 'start' && <StartCard anchor={anchor} view={view} />}
      {shown === 'observations' && <ObservationsCard anchorId={id} view={view} />}
      {shown === 'identity' && <IdentityCard anchor={anchor} />}
    </>
  );
}

function saysUnknown({ problem }: Answered<unknown>): boolean {
  return problem !== undefined && 'body' in problem && problem.body.code === 'UNKNOWN_ANCHOR';
}

/** What one has to know before the figures. */
function Lead({ anchor, ranking }: { anchor: AnchorAnswer; ranking: string }) {
  const { t } = useLanguage();
  const { homeDomain, note, status } = anchor;
  return (
    <>
      <p>
        {homeDomain !== null && (
          <>
            <a href={siteOf(homeDomain)} rel="noopener">
              {homeDomain.replace(/^https?:\/\//, '')}
            </a>
            {' · '}
          </>
        )}
        <a href={ranking}>{t('anchors.toRanking')}</a>
      </p>
      {note !== null && <p>{note}</p>}
      {(status === 'delisted' || status === 'refused') && (
        <Notice tone={status === 'refused' ? 'bad' : 'warn'} title={t(`anchors.${status}`)}>
          <p>{t(`anchors.${status}About`)}</p>
        </Notice>
      )}
    </>
  );
}
