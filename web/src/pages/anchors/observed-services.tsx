import type { CallOutcome, ObservedService, ServiceObservations } from '@fairlead/contract/client';
import { RecordTable } from '../../components/record-table.js';
import { type Language, useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import figures from './figures.module.css';

const serviceTexts: Record<ObservedService, TextKey> = {
  sep1: 'anchors.sep1',
  sep24: 'anchors.sep24',
  sep6: 'anchors.sep6',
  sep38: 'anchors.sep38',
};

const outcomeTexts: Record<CallOutcome, TextKey> = {
  answered: 'anchors.outcomeAnswered',
  timeout: 'anchors.outcomeTimeout',
  unreachable: 'anchors.outcomeUnreachable',
  blocked: 'anchors.outcomeBlocked',
  not_json: 'anchors.outcomeNotJson',
  malformed: 'anchors.outcomeMalformed',
  error: 'anchors.outcomeError',
};

/** How each service of the anchor answers: now, and over the window. */
export function ObservedServices({ services }: { services: readonly ServiceObservations[] }) {
  const language = useLanguage();
  const { t, formats } = language;
  return (
    <RecordTable
      caption={t('anchors.services')}
      rows={services}
      keyOf={({ service }) => service}
      columns={[
        { label: t('anchors.service'), kind: 'name', cell: ({ service }) => t(serviceTexts[service]) },
        {
          label: t('anchors.latest'),
          cell: ({ latest }) => (
            <>
              {t(outcomeTexts[latest.outcome] ?? 'anchors.outcomeError')}
              {latest.latencyMs !== null && ` · ${milliseconds(latest.latencyMs, language)}`}
            </>
          ),
        },
        {
          label: t('anchors.availability'),
          kind: 'figure',
          cell: ({ availability, availabilityUnavailable: why }) =>
            availability === null ? (
              <span class={figures.soft}>{t(`anchors.why_${why ?? 'not_observed'}`)}</span>
            ) : (
              formats.percent(availability, 2)
            ),
        },
        {
          label: t('anchors.latency'),
          kind: 'figure',
          cell: ({ latencyMs, latencyUnavailable: why }) =>
            latencyMs === null ? (
              <span class={figures.soft}>{t(`anchors.why_${why ?? 'not_observed'}`)}</span>
            ) : (
              <>
                {milliseconds(latencyMs.p50, language)}
                <span class={figures.below}>
                  {t('common.nearlyAll', { time: milliseconds(latencyMs.p95, language) })}
                </span>
              </>
            ),
        },
        {
          label: t('anchors.failures'),
          kind: 'figure',
          cell: ({ failures }) => {
            const all = Object.values(failures).reduce((sum, count) => sum + count, 0);
            return formats.number(all);
          },
        },
        {
          label: t('anchors.rounds'),
          kind: 'figure',
          cell: ({ observations }) => formats.number(observations),
        },
      ]}
    />
  );
}

function milliseconds(value: number, { formats }: Language): string {
  return formats.number(value, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 });
}
