import type { AnchorReputation, CardWithSigns } from '@fairlead/contract/client';
import { Text } from '../../components/inline.js';
import { Card, Facts } from '../../components/page-parts.js';
import { RecordTable } from '../../components/record-table.js';
import type { Answered } from '../../data/use-answer.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './anchors.module.css';
import { HistoryCard } from './history-card.js';
import { Shortfall, StandingText } from './record-marks.js';
import type { RecordView } from './use-record-view.js';

/** The record day by day and corridor by corridor, and signs of how it came about. */
export function RecordTab(props: { anchorId: string; answer: Answered<AnchorReputation>; view: RecordView }) {
  const { anchorId, answer, view } = props;
  const { t } = useLanguage();
  const record = answer.value;
  const shown =
    view.corridor === undefined
      ? record
      : record?.corridors.find(({ corridor }) => corridor === view.corridor);
  return (
    <>
      <HistoryCard anchorId={anchorId} view={view} />
      {record !== undefined && record.corridors.length > 0 && (
        <Card title={t('anchors.corridors')}>
          <CorridorsTable cards={record.corridors} />
        </Card>
      )}
      {shown !== undefined && shown.outcomes > 0 && (
        <details>
          <summary>{t('anchors.signs')}</summary>
          <p class={styles.note}>
            <Text of="anchors.signsAbout" />
          </p>
          <Signs record={shown} />
        </details>
      )}
    </>
  );
}

/** Signs of how the record came about: who made it, when, and what vouches for it. */
function Signs({ record }: { record: AnchorReputation | CardWithSigns }) {
  const { t, formats } = useLanguage();
  const of = (count: number, all: number) => t('anchors.countOf', { count, all });
  const share = (value: string | null) => (value === null ? '–' : formats.percent(value));
  const all = record.ledgerOutcomes + record.anchorOutcomes;
  return (
    <Facts
      of={{
        [t('anchors.signAccounts')]: formats.number(record.accounts),
        [t('anchors.signAccountDays')]: formats.number(record.accountDays),
        [t('anchors.signLedger')]: of(record.ledgerOutcomes, all),
        [t('anchors.signTimesKnown')]: of(record.timesKnown, record.filled),
        [t('anchors.signTimesWithheld')]: of(record.timesWithheld, record.filled),
        [t('anchors.signNewAccounts')]: share(record.newAccountShare),
        [t('anchors.signLargestAccount')]: share(record.largestAccountShare),
        [t('anchors.signBusiestDay')]: share(record.busiestDayShare),
      }}
    />
  );
}

/** The anchor's card in each corridor, with the way to what is paid there now. */
function CorridorsTable({ cards }: { cards: readonly CardWithSigns[] }) {
  const { t, locale, formats } = useLanguage();
  const disputesOf = (card: CardWithSigns) => formats.number(card.acceptedDisputes);
  return (
    <RecordTable
      caption={t('anchors.corridors')}
      rows={cards}
      keyOf={({ corridor }) => corridor}
      columns={[
        {
          label: t('anchors.corridor'),
          kind: 'name',
          cell: ({ corridor }) => (
            <a href={`/rates/${corridor}`} title={t('anchors.toRates')}>
              {corridorName(corridor, locale)}
            </a>
          ),
        },
        {
          label: t('anchors.score'),
          kind: 'main',
          cell: (card) =>
            card.score === null ? (
              <StandingText record={card} />
            ) : (
              <strong>{formats.points(card.score)}</strong>
            ),
        },
        {
          label: t('anchors.paidOut'),
          kind: 'figure',
          cell: ({ filled, outcomes }) =>
            outcomes === 0
              ? t('common.noOutcomes')
              : `${formats.percent(filled / outcomes)} · ${t('anchors.countOf', { count: filled, all: outcomes })}`,
        },
        {
          label: t('anchors.time'),
          kind: 'figure',
          cell: ({ p50SettleSeconds: p50, p95SettleSeconds: p95 }) => (
            <>
              {p50 === null ? '–' : formats.duration(p50)}
              {p95 !== null && (
                <span class={styles.below}>{t('common.nearlyAll', { time: formats.duration(p95) })}</span>
              )}
            </>
          ),
        },
        { label: t('anchors.shortfall'), kind: 'figure', cell: (card) => <Shortfall record={card} /> },
        ...(cards.some(({ acceptedDisputes }) => acceptedDisputes > 0)
          ? [{ label: t('anchors.disputes'), kind: 'figure' as const, cell: disputesOf }]
          : []),
      ]}
    />
  );
}
