import type { CorridorObservations } from '@fairlead/contract/client';
import { RecordTable } from '../../components/record-table.js';
import { Tag } from '../../components/tag.js';
import { TimeAgo } from '../../components/time-ago.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { codesOf } from '../offramp/codes.js';
import figures from './figures.module.css';
import { whyUnavailable } from './unavailable-texts.js';

/** The terms that the anchor shows in each corridor, against the mid-market and against what it paid. */
export function ObservedCorridors({ corridors }: { corridors: readonly CorridorObservations[] }) {
  const { t, locale, formats } = useLanguage();
  /** Per cent as the API writes them, with a sign. */
  const perCent = (value: string, sign: 'auto' | 'exceptZero' = 'auto') =>
    formats.number(value, { style: 'unit', unit: 'percent', signDisplay: sign, minimumFractionDigits: 1 });
  const why = (reason: CorridorObservations['fromPaidUnavailable']) => (
    <span class={figures.soft}>{whyUnavailable(reason, t)}</span>
  );
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
              <span class={figures.soft}>{t('anchors.noQuote')}</span>
            ) : (
              <>
                {formats.number(lastQuote.rate, { maximumFractionDigits: 8 })}{' '}
                <Tag
                  text={t(lastQuote.tier === 'anchor' ? 'anchors.tierAnchor' : 'anchors.tierEstimate')}
                  title={t(
                    lastQuote.tier === 'anchor' ? 'anchors.tierAnchorAbout' : 'anchors.tierEstimateAbout',
                  )}
                />
                <span class={figures.below}>
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
              {cost === null ? why(fromMidMarketUnavailable) : perCent(cost.meanPercent)}
              {cost !== null && (
                <span class={figures.below}>
                  {t('anchors.worstTerms', { cost: perCent(cost.p95Percent) })}
                </span>
              )}
              {cost === null && lastQuote?.costPercent != null && (
                <span class={figures.below}>
                  {t('anchors.lastCost', { cost: perCent(lastQuote.costPercent) })}
                </span>
              )}
            </>
          ),
        },
        {
          label: t('anchors.paidAgainstShown'),
          kind: 'figure',
          cell: ({ fromPaid, fromPaidUnavailable }) =>
            fromPaid === null ? (
              why(fromPaidUnavailable)
            ) : (
              <>
                {perCent(fromPaid.meanPercent, 'exceptZero')}
                <span class={figures.below}>{t('anchors.ofPayouts', { payouts: fromPaid.payouts })}</span>
              </>
            ),
        },
        {
          label: t('anchors.publishedFee'),
          kind: 'figure',
          cell: ({ corridor, publishedFee: fee }) =>
            fee === null ? (
              <span class={figures.soft}>{t('anchors.noFee')}</span>
            ) : (
              <>
                {perCent(fee.percentOfReference)}
                <span class={figures.below}>
                  {t('anchors.feeParts', {
                    fixed: formats.asset(fee.feeFixed, codesOf(corridor).sold),
                    percent: perCent(fee.feePercent),
                  })}
                </span>
              </>
            ),
        },
        {
          label: t('anchors.availability'),
          kind: 'figure',
          cell: ({ availability, availabilityUnavailable }) =>
            availability === null ? why(availabilityUnavailable) : formats.percent(availability, 2),
        },
      ]}
    />
  );
}
