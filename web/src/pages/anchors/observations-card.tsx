import type { AnchorObservations } from '@fairlead/contract/client';
import { AnswerView } from '../../components/answer-view.js';
import { Card } from '../../components/card.js';
import { Empty } from '../../components/empty.js';
import { TimeAgo } from '../../components/time-ago.js';
import { useAnswer } from '../../data/use-answer.js';
import { useLanguage } from '../../i18n/language.js';
import figures from './figures.module.css';
import { ObservedCorridors } from './observed-corridors.js';
import { ObservedServices } from './observed-services.js';
import { observationsQuestion } from './questions.js';
import type { RecordView } from './use-record-view.js';

/** What can be seen of the anchor without a single off-ramp: how it answers, and what it quotes. */
export function ObservationsCard({ anchorId, view }: { anchorId: string; view: RecordView }) {
  const { t } = useLanguage();
  const answer = useAnswer(observationsQuestion(anchorId, view));
  const lastObservedAt = answer.value?.lastObservedAt ?? null;
  return (
    <Card
      title={t('anchors.observations')}
      aside={
        lastObservedAt !== null && (
          <span class={figures.soft}>
            {t('anchors.observed')} <TimeAgo instant={lastObservedAt} />
          </span>
        )
      }
    >
      <p class={figures.note}>{t('anchors.observationsAbout')}</p>
      <AnswerView answer={answer} lines={5}>
        {(observations) => <Observations observations={observations} />}
      </AnswerView>
    </Card>
  );
}

function Observations({ observations }: { observations: AnchorObservations }) {
  const { t } = useLanguage();
  const { services, corridors, firstObservedAt } = observations;
  if (firstObservedAt === null)
    return (
      <Empty title={t('anchors.notObserved')}>
        <p>{t('anchors.notObservedAbout')}</p>
      </Empty>
    );
  return (
    <>
      {services.length > 0 && (
        <details open={services.some(({ availability }) => availability !== null)}>
          <summary>{t('anchors.services')}</summary>
          <ObservedServices services={services} />
        </details>
      )}
      {corridors.length > 0 && (
        <details open={corridors.some(({ fromMidMarket }) => fromMidMarket !== null)}>
          <summary>{t('anchors.terms')}</summary>
          <ObservedCorridors corridors={corridors} />
        </details>
      )}
    </>
  );
}
