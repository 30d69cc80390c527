import type { CardWithSigns } from '@fairlead/contract/client';
import { RecordTable } from '../../components/record-table.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import figures from './figures.module.css';
import { Shortfall } from './shortfall.js';
import { StandingText } from './standing-text.js';

/** The anchor's card in each corridor, with the way to what is paid there now. */
export function CorridorsTable({ cards }: { cards: readonly CardWithSigns[] }) {
  const { t, locale, formats } = useLanguage();
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
                <span class={figures.below}>{t('common.nearlyAll', { time: formats.duration(p95) })}</span>
              )}
            </>
          ),
        },
        { label: t('anchors.shortfall'), kind: 'figure', cell: (card) => <Shortfall record={card} /> },
        {
          label: t('anchors.disputes'),
          kind: 'figure',
          cell: (card) => formats.number(card.acceptedDisputes),
        },
      ]}
    />
  );
}
