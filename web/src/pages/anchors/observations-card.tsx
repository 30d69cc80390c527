import type {
  AnchorObservations,
  CorridorObservations,
  ServiceObservations,
} from '@fairlead/contract/client';
import { AnswerView } from '../../components/answer-view.js';
import { Tag, TimeAgo } from '../../components/inline.js';
import { Empty } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { RecordTable } from '../../components/record-table.js';
import { useAnswer } from '../../data/use-answer.js';
import { corridorName } from '../../figures/corridor-name.js';
import { type Language, useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import styles from './anchors.module.css';
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
          <span class={styles.soft}>
            {t('anchors.observed')} <TimeAgo instant={lastObservedAt} />
          </span>
        )
      }
    >
      <p class={styles.note}>{t('anchors.observationsAbout')}</p>
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
  const hasServices = services.some(({ availability }) => availability !== null);
  const hasTerms = corridors.some(({ fromMidMarket }) => fromMidMarket !== null);
  return (
    <>
      {!hasServices && !hasTerms && <p>{t('anchors.tooFewLooks')}</p>}
      {services.length > 0 && (
        <details open={hasServices}>
          <summary>{t('anchors.services')}</summary>
          <ObservedServices services={services} />
        </details>
      )}
      {corridors.length > 0 && (
        <details open={hasTerms}>
          <summary>{t('anchors.terms')}</summary>
          <ObservedCorridors corridors={corridors} />
        </details>
      )}
    </>
  );
}

/** Why there is no figure. */
function Why({ reason }: { reason: string | null }) {
  const { t } = useLanguage();
  return <span class={styles.soft}>{t(`anchors.why_${reason ?? 'not_observed'}` as TextKey)}</span>;
}

/** How each service of the anchor answers: now, and over the window. */
function ObservedServices({ services }: { services: readonly ServiceObservations[] }) {
  const language = useLanguage();
  const { t, formats } = language;
  return (
    <RecordTable
      caption={t('anchors.services')}
      rows={services}
      keyOf={({ service }) => service}
      columns={[
        { label: t('anchors.service'), kind: 'name', cell: ({ service }) => t(`anchors.${service}`) },
        {
          label: t('anchors.latest'),
          cell: ({ latest }) => (
            <>
              {t(`anchors.outcome_${latest.outcome}`)}
              {latest.latencyMs !== null && ` · ${milliseconds(latest.latencyMs, language)}`}
            </>
          ),
        },
        {
          label: t('anchors.availability'),
          kind: 'figure',
          cell: ({ availability, availabilityUnavailable: why }) =>
            availability === null ? <Why reason={why} /> : formats.percent(availability, 2),
        },
        {
          label: t('anchors.latency'),
          kind: 'figure',
          cell: ({ latencyMs, latencyUnavailable: why }) =>
            latencyMs === null ? (
              <Why reason={why} />
            ) : (
              <>
                {milliseconds(latencyMs.p50, language)}
                <span class={styles.below}>
                  {t('common.nearlyAll', { time: milliseconds(latencyMs.p95, language) })}
                </span>
              </>
            ),
        },
      ]}
    />
  );
}

function milliseconds(value: number, { formats }: Language): string {
  return formats.number(value, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 });
}

/** What the anchor quotes in each corridor, against the mid-market. */
function ObservedCorridors({ corridors }: { corridors: readonly CorridorObservations[] }) {
  const { t, locale, formats } = useLanguage();
  return (
    <RecordTable
      caption={t('anchors.terms')}
      rows={corridors}
      keyOf={({ corridor }) => corridor}
      columns={[
        {
          label: t('anchors.corridor'),
          kind: 'name',
          cell: ({ corridor }) => <a href={`/rates/${corridor}`}>{corridorName(corridor, locale)}</a>,
        },
        {
          label: t('anchors.lastQuote'),
          cell: ({ lastQuote }) =>
            lastQuote === null ? (
              <span class={styles.soft}>{t('anchors.noQuote')}</span>
            ) : (
              <>
                {formats.number(lastQuote.rate, { maximumFractionDigits: 8 })}{' '}
                <Tag
                  text={t(`anchors.tier_${lastQuote.tier}`)}
                  title={t(`anchors.tierAbout_${lastQuote.tier}`)}
                />
                <span class={styles.below}>
                  <TimeAgo instant={lastQuote.at} />
                </span>
              </>
            ),
        },
        {
          label: t('anchors.againstMid'),
          kind: 'figure',
          cell: ({ fromMidMarket: cost, fromMidMarketUnavailable, lastQuote }) => (
            <>
              {cost === null ? <Why reason={fromMidMarketUnavailable} /> : formats.perCent(cost.meanPercent)}
              {cost !== null && (
                <span class={styles.below}>
                  {t('anchors.worstTerms', { cost: formats.perCent(cost.p95Percent) })}
                </span>
              )}
              {cost === null && lastQuote?.costPercent != null && (
                <span class={styles.below}>
                  {t('anchors.lastCost', { cost: formats.perCent(lastQuote.costPercent) })}
                </span>
              )}
            </>
          ),
        },
        {
          label: t('anchors.availability'),
          kind: 'figure',
          cell: ({ availability, availabilityUnavailable }) =>
            availability === null ? (
              <Why reason={availabilityUnavailable} />
            ) : (
              formats.percent(availability, 2)
            ),
        },
      ]}
    />
  );
}
