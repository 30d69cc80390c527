import type { HistoryPoint } from '@fairlead/contract/client';
import { useMemo } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Choice } from '../../components/controls.js';
import { Empty } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { Plot } from '../../components/plot.js';
import type { PlotSeries } from '../../components/plot-canvas.js';
import { useAnswer } from '../../data/use-answer.js';
import { useViewPart } from '../../data/use-view-part.js';
import { useLanguage } from '../../i18n/language.js';
import type { TextKey } from '../../i18n/translate.js';
import figures from './anchors.module.css';
import { historyLines, type LineName, type Measure, measures, scoreRange } from './history-plot.js';
import { historyQuestion } from './questions.js';
import type { RecordView } from './use-record-view.js';

const measureTexts: Record<Measure, TextKey> = {
  score: 'anchors.score',
  outcomes: 'anchors.outcomes',
  time: 'anchors.time',
};

const looks: Record<LineName, { text: TextKey } & Pick<PlotSeries, 'colour' | 'kind' | 'isDashed'>> = {
  score: { text: 'anchors.score', colour: 1 },
  outcomes: { text: 'anchors.outcomes', colour: 2, kind: 'bars' },
  filled: { text: 'anchors.paidOut', colour: 1, kind: 'bars' },
  p50: { text: 'anchors.timeTypical', colour: 1 },
  p95: { text: 'anchors.timeSlow', colour: 2, isDashed: true },
};

/** The record day by day: its score, its outcomes, or how long payouts took. */
export function HistoryCard({ anchorId, view }: { anchorId: string; view: RecordView }) {
  const { t } = useLanguage();
  const answer = useAnswer(historyQuestion(anchorId, view));
  const [part, choose] = useViewPart('history', 'score');
  const measure = measures.find((each) => each === part) ?? 'score';
  return (
    <Card
      title={t('anchors.history')}
      aside={
        <Choice
          legend={t('anchors.historyOf')}
          isLegendHidden
          options={measures.map((value) => ({ value, label: t(measureTexts[value]) }))}
          value={measure}
          onChoose={choose}
        />
      }
    >
      <AnswerView answer={answer} lines={5}>
        {(days) =>
          days.length === 0 ? (
            <Empty title={t('anchors.noHistory')} />
          ) : (
            <HistoryPlot days={days} measure={measure} />
          )
        }
      </AnswerView>
    </Card>
  );
}

function HistoryPlot({ days, measure }: { days: readonly HistoryPoint[]; measure: Measure }) {
  const { t, formats } = useLanguage();
  const { times, series, range } = useMemo(() => {
    const { times, lines } = historyLines(days, measure);
    const series = lines.map(({ name, values }) => {
      const { text, ...look } = looks[name];
      return { label: t(text), values, ...look };
    });
    return { times, series, range: measure === 'score' ? scoreRange(lines[0]?.values ?? []) : undefined };
  }, [days, measure, t]);
  const format = measure === 'time' ? formats.duration : (value: number) => formats.number(value);
  return (
    <>
      <Plot
        label={t('anchors.historyLabel', { measure: t(measureTexts[measure]), days: times.length })}
        times={times}
        series={series}
        format={format}
        isDaily
        {...(range && { range })}
      />
      {measure === 'score' && <p class={figures.note}>{t('anchors.historyScoreAbout')}</p>}
    </>
  );
}
