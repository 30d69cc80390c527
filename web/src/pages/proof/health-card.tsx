import type { PublisherHealth, PublisherStatus } from '@fairlead/contract/client';
import type { ComponentChildren } from 'preact';
import { Card } from '../../components/card.js';
import { TimeAgo } from '../../components/time-ago.js';
import { useLanguage } from '../../i18n/language.js';
import { Mark, type MarkTone } from './mark.js';
import styles from './proof.module.css';

const tones: Record<PublisherStatus, MarkTone> = { ok: 'good', idle: 'plain', stale: 'warn', failing: 'bad' };

/** The state of the publisher, and the reason if it is not well. */
export function HealthCard({ health }: { health: PublisherHealth }) {
  const { t } = useLanguage();
  const { status, reason, latest, lastSubmission, lastTick, pending, oracle } = health;
  return (
    <Card title={t('proof.health')} aside={<Mark tone={tones[status]}>{t(`proof.status_${status}`)}</Mark>}>
      {reason !== null && <p>{t(`proof.reason_${reason}`)}</p>}
      <dl class={styles.figures}>
        <Figure label={t('proof.latestBatch')} instant={latest?.createdAt}>
          {latest === null ? '–' : t('proof.number', { sequence: latest.sequence })}
        </Figure>
        <Figure label={t('proof.latestReceipt')} instant={lastSubmission?.submittedAt}>
          {lastSubmission !== null
            ? t('proof.number', { sequence: lastSubmission.sequence })
            : oracle
              ? '–'
              : t('proof.noOracle')}
        </Figure>
        <Figure label={t('proof.waiting')}>{oracle ? t('proof.batchCount', { count: pending }) : '–'}</Figure>
        <Figure label={t('proof.lastTick')} instant={lastTick?.finishedAt ?? lastTick?.startedAt}>
          {lastTick === null
            ? '–'
            : lastTick.result === null
              ? t('proof.tick_died')
              : t(`proof.tick_${lastTick.result}`)}
        </Figure>
      </dl>
    </Card>
  );
}

function Figure(props: { label: string; instant?: string | undefined; children: ComponentChildren }) {
  const { label, instant, children } = props;
  return (
    <div>
      <dt>{label}</dt>
      <dd class={styles.figure}>{children}</dd>
      {instant !== undefined && (
        <dd class={styles.soft}>
          <TimeAgo instant={instant} />
        </dd>
      )}
    </div>
  );
}
