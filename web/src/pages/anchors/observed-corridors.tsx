import type { CorridorObservations } from '@fairlead/contract/client';
import { RecordTable } from '../../components/record-table.js';
import { Tag } from '../../components/tag.js';
import { TimeAgo } from '../../components/time-ago.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import figures from './figures.module.css';

/** What the anchor quotes in each corridor, against the mid-market. */
export function ObservedCorridors({ corridors }: { corridors: readonly CorridorObservations[] }) {
  const { t, locale, formats } = useLanguage();
  /** Per cent as the API writes them, with a sign. */
  const perCent = (value: string) =>
    formats.number(value, { style: 'unit', unit: 'percent', minimumFractionDigits: 1 });
  const why = (reason: CorridorObservations['availabilityUnavailable']) => (
    <span class={figures.soft}>{t(`anchors.why_${reason ?? 'not_observed'}`)}</span>
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
          label: t('anchors.availability'),
          kind: 'figure',
          cell: ({ availability, availabilityUnavailable }) =>
            availability === null ? why(availabilityUnavailable) : formats.percent(availability, 2),
        },
      ]}
    />
  );
}
