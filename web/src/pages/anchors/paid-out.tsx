import { IntervalMark } from '../../components/interval-mark.js';
import { wilsonInterval } from '../../figures/wilson.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './figures.module.css';

/** How many outcomes were paid out: a mark with the uncertainty, and the counts. */
export function PaidOut(props: { record: { filled: number; outcomes: number }; scaleMin?: number }) {
  const { record, scaleMin = 0 } = props;
  const { filled, outcomes } = record;
  const { t, formats } = useLanguage();
  const interval = wilsonInterval(filled, outcomes);
  if (interval === null) return <span class={styles.soft}>{t('anchors.noOutcomes')}</span>;
  const point = filled / outcomes;
  return (
    <div>
      <IntervalMark
        {...interval}
        point={point}
        min={scaleMin}
        label={t('anchors.paidOutMark', {
          share: formats.percent(point),
          low: formats.percent(interval.low),
          high: formats.percent(interval.high),
        })}
      />
      <span class={styles.soft}>
        {formats.percent(point)}
        {' · '}
        {t('anchors.paidOutCount', { filled: formats.number(filled), outcomes: formats.number(outcomes) })}
      </span>
    </div>
  );
}
