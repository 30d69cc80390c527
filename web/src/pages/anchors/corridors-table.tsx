import type { CardWithSigns } from '@fairlead/contract/client';
import { IntervalScale } from '../../components/interval-mark.js';
import { RecordTable } from '../../components/record-table.js';
import { corridorName } from '../../figures/corridor-name.js';
import { scaleStart, wilsonInterval } from '../../figures/wilson.js';
import { useLanguage } from '../../i18n/language.js';
import figures from './figures.module.css';
import { PaidOut } from './paid-out.js';
import { PayoutTime } from './payout-time.js';
import { Shortfall } from './shortfall.js';
import { StandingText } from './standing-text.js';

/** The anchor's card in each corridor, with the way to what is paid there now. */
export function CorridorsTable({ cards }: { cards: readonly CardWithSigns[] }) {
  const { t, locale, formats } = useLanguage();
  const lows = cards.map(({ filled, outcomes }) => wilsonInterval(filled, outcomes)?.low);
  const scaleMin = scaleStart(lows.filter((low) => low !== undefined));
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
              <strong>{formats.number(card.score, { minimumFractionDigits: 2 })}</strong>
            ),
        },
        {
          label: t('anchors.paidOut'),
          under: <IntervalScale min={scaleMin} />,
          kind: 'wide',
          cell: (card) => <PaidOut record={card} scaleMin={scaleMin} />,
        },
        {
          label: t('anchors.time'),
          kind: 'figure',
          cell: (card) => (
            <>
              <PayoutTime p50={card.p50SettleSeconds} p95={card.p95SettleSeconds} />
              <span class={figures.below}>
                {t('anchors.target', { time: formats.duration(card.speedTargetSeconds) })}
              </span>
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
