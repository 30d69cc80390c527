import type { AnchorReputation, CardWithSigns } from '@fairlead/contract/client';
import { IntervalScale } from '../../components/interval-mark.js';
import { scaleStart, wilsonInterval } from '../../figures/wilson.js';
import { useLanguage } from '../../i18n/language.js';
import figures from './figures.module.css';
import { PaidOut } from './paid-out.js';
import { PartsBar } from './parts-bar.js';
import { PayoutTime } from './payout-time.js';
import styles from './score-panel.module.css';
import type { ScoreParts } from './score-parts.js';
import { Shortfall } from './shortfall.js';
import { StandingText } from './standing-text.js';

/** The score and its parts; if there is no score, what is missing. */
export function ScorePanel(props: {
  record: AnchorReputation | CardWithSigns;
  parts: ScoreParts | null;
  /** How many corridors' scores are averaged; undefined for the score of a single corridor. */
  scored: number | undefined;
}) {
  const { record, parts, scored } = props;
  const { t, formats } = useLanguage();
  const paid = wilsonInterval(record.filled, record.outcomes);
  const scaleMin = paid === null ? undefined : scaleStart([paid.low]);
  return (
    <div class={styles.panel}>
      <div class={styles.score}>
        {record.score === null ? (
          <>
            <span class={styles.provisional}>{t('anchors.provisional')}</span>
            <StandingText record={record} />
          </>
        ) : (
          <>
            <span class={styles.figure}>{formats.number(record.score, { minimumFractionDigits: 2 })}</span>
            <span class={figures.soft}>
              {t('anchors.of100')}
              {scored !== undefined && ` · ${t('anchors.meanOf', { corridors: scored })}`}
            </span>
          </>
        )}
      </div>
      <dl class={styles.facts}>
        <div class={styles.wide}>
          <dt>{t('anchors.paidOut')}</dt>
          <dd>
            {scaleMin !== undefined && <IntervalScale min={scaleMin} />}
            <PaidOut record={record} {...(scaleMin !== undefined && { scaleMin })} />
          </dd>
        </div>
        <div>
          <dt>{t('anchors.time')}</dt>
          <dd>
            <PayoutTime p50={record.p50SettleSeconds} p95={record.p95SettleSeconds} />
          </dd>
        </div>
        <div>
          <dt>{t('anchors.shortfall')}</dt>
          <dd>
            <Shortfall record={record} />
          </dd>
        </div>
        <div>
          <dt>{t('anchors.disputes')}</dt>
          <dd>
            {formats.number(record.acceptedDisputes)}
            <span class={figures.below}>{t('anchors.disputesAbout')}</span>
          </dd>
        </div>
      </dl>
      {parts !== null && record.score !== null && (
        <PartsBar score={record.score} parts={parts} record={record} />
      )}
    </div>
  );
}
