import type { CorridorAnswer, RateHistoryPoint } from '@fairlead/contract/client';
import { useMemo } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Choice } from '../../components/controls.js';
import { Empty } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { Plot } from '../../components/plot.js';
import { client } from '../../data/client.js';
import { codeOf } from '../../data/corridors.js';
import { serviceNow } from '../../data/service-clock.js';
import { useAnswer } from '../../data/use-answer.js';
import { useViewPart } from '../../data/use-view-part.js';
import { anchorNames } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { plotHistory, steadyRange } from './plot-history.js';
import styles from './rates-page.module.css';

/** What a resolution shows without `from`: docs/rates.md. */
const ranges = {
  day: { resolution: '15m', slotSeconds: 900, days: 1 },
  week: { resolution: '1h', slotSeconds: 3_600, days: 7 },
  quarter: { resolution: '1d', slotSeconds: 86_400, days: 90 },
} as const;
type RangeName = keyof typeof ranges;
const rangeNames = Object.keys(ranges) as RangeName[];

/** A sample is taken every quarter of an hour. */
const everyMs = 300_000;

/** What the anchors of a corridor offered lately, at its reference amount. */
export function HistoryCard({ corridor }: { corridor: CorridorAnswer }) {
  const { t, formats } = useLanguage();
  const [named, chooseRange] = useViewPart('history', 'day');
  const range = rangeNames.find((each) => each === named) ?? 'day';
  const { resolution } = ranges[range];
  const samples = useAnswer<RateHistoryPoint[]>({
    key: ['rate history', corridor.id, resolution],
    everyMs,
    async ask(signal) {
      const all: RateHistoryPoint[] = [];
      const query = { resolution, limit: '100' };
      const params = { corridor: corridor.id };
      for await (const sample of client.rateHistory.getRateHistory.all({ params, query, signal }))
        all.push(sample);
      return all;
    },
  });
  const code = codeOf(corridor.sellAsset);
  const amount = formats.asset(corridor.referenceAmount, code);
  const metric = t('rates.rateOf', { currency: codeOf(corridor.buyAsset), code });
  return (
    <Card
      title={t('rates.history')}
      aside={
        <Choice
          legend={t('rates.range')}
          isLegendHidden
          value={range}
          options={rangeNames.map((value) => ({ value, label: t(`rates.range_${value}`) }))}
          onChoose={chooseRange}
        />
      }
    >
      <p class={styles.note}>{t('rates.historyAbout', { amount, metric })}</p>
      <AnswerView answer={samples} lines={5}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('rates.noSamples')} />
          ) : (
            <History samples={all} corridor={corridor} range={range} metric={metric} />
          )
        }
      </AnswerView>
    </Card>
  );
}

const colours = [1, 2, 3, 4, 5, 6] as const;

function History(props: {
  samples: RateHistoryPoint[];
  corridor: CorridorAnswer;
  range: RangeName;
  metric: string;
}) {
  const { samples, corridor, range, metric } = props;
  const { t, formats } = useLanguage();
  const { slotSeconds, days } = ranges[range];
  const { times, series, scale, span } = useMemo(() => {
    const plot = plotHistory(samples, slotSeconds);
    const nameOf = anchorNames([corridor]);
    return {
      times: plot.times,
      scale: steadyRange(plot),
      span: [serviceNow() / 1_000 - days * 86_400, serviceNow() / 1_000] as const,
      series: plot.lines.map(({ anchorId, values }, index) => ({
        label: nameOf(anchorId),
        values,
        colour: colours[index % colours.length] ?? 1,
        isDashed: index >= colours.length,
      })),
    };
  }, [samples, slotSeconds, corridor]);
  // A rate of 0.92 needs more places than one of 1,520.
  const format = (value: number, isMark = false) => {
    const most = value >= 100 ? 2 : 4;
    return formats.number(value, { minimumFractionDigits: isMark ? 0 : most, maximumFractionDigits: most });
  };
  return (
    <Plot
      label={t('rates.historyLabel', { range: t(`rates.range_${range}`), metric })}
      times={times}
      series={series}
      format={format}
      range={scale}
      span={span}
      isDaily={range === 'quarter'}
    />
  );
}
