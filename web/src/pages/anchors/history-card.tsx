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
import styles from './anchors.module.css';
import { historyLines, type LineName, type Measure, measures, scoreRange } from './history-plot.js';
import { historyQuestion } from './questions.js';
import type { RecordView } from './use-record-view.js';

const looks: Record<LineName, Pick<PlotSeries, 'colour' | 'kind' | 'isDashed'>> = {
  score: { colour: 1 },
  outcomes: { colour: 2, kind: 'bars' },
  filled: { colour: 1, kind: 'bars' },
  p50: { colour: 1 },
  p95: { colour: 2, isDashed: true },
};

/** Distances on a scale of seconds that are whole minutes, hours or days. */
const roundSeconds = [1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];

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
          options={measures.map((value) => ({ value, label: t(`anchors.measure_${value}`) }))}
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
            <HistoryPlot days={days} measure={measure} view={view} />
          )
        }
      </AnswerView>
    </Card>
  );
}

function HistoryPlot(props: { days: readonly HistoryPoint[]; measure: Measure; view: RecordView }) {
  const { days, measure, view } = props;
  const { t, formats } = useLanguage();
  const { times, series, range } = useMemo(() => {
    const { times, lines } = historyLines(days, measure);
    const series = lines.map(({ name, values }) => ({
      label: t(`anchors.line_${name}`),
      values,
      ...looks[name],
    }));
    return { times, series, range: measure === 'score' ? scoreRange(lines[0]?.values ?? []) : undefined };
  }, [days, measure, t]);
  const format = (value: number, isMark = false) => {
    if (measure === 'time') return formats.duration(value);
    return measure === 'score' && !isMark ? formats.points(value) : formats.number(value);
  };
  return (
    <>
      <Plot
        label={t('anchors.historyLabel', { measure: t(`anchors.measure_${measure}`), days: times.length })}
        times={times}
        series={series}
        format={format}
        isDaily
        {...(measure === 'time' && { steps: roundSeconds })}
        {...(range && { range })}
      />
      {measure === 'score' && (
        <p class={styles.note}>{t('anchors.historyScoreAbout', { days: view.window })}</p>
      )}
    </>
  );
}
