import type { IntentAnswer } from '@fairlead/contract/client';
import { Notice } from '../../components/notice.js';
import { Card, Fact, Facts } from '../../components/page-parts.js';
import { useAnchorName } from '../../data/corridors.js';
import { codesOf } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { StatusMark } from '../offramp/state-card.js';
import type { Standing } from './standing.js';

/** The outcome that would be disputed, who may do so, and what accepting changes. */
export function DisputedOutcome({ intent, standing }: { intent: IntentAnswer; standing: Standing }) {
  const { t, formats } = useLanguage();
  const { intentHash, anchorId, corridor, sellAmount, outcome, dispute } = intent;
  const anchorName = useAnchorName(anchorId);
  const { sold, paid } = codesOf(corridor);
  return (
    <Card title={t('dispute.outcome')} aside={<StatusMark intent={intent} />}>
      <Facts>
        <Fact name={t('offramp.sold')}>
          {formats.asset(sellAmount, sold)} → {paid}
        </Fact>
        <Fact name={t('offramp.anchor')}>
          <a href={`/anchors/${anchorId}`}>{anchorName}</a>
        </Fact>
        {outcome !== null && (
          <Fact name={t('dispute.recorded')}>
            {t(`offramp.ended_${outcome.reason}`)} ·{' '}
            <time dateTime={outcome.recordedAt}>{formats.dateTime(outcome.recordedAt)}</time>
          </Fact>
        )}
        {outcome?.amountOut != null && (
          <Fact name={t('offramp.paidOut')}>{formats.money(outcome.amountOut, paid)}</Fact>
        )}
        {(standing.kind === 'open' || dispute?.status === 'open') && outcome !== null && (
          <Fact name={t('dispute.ifAccepted')}>
            {neverCounts(outcome) ? t('dispute.acceptedNothing') : t(`dispute.accepted_${effectOf(outcome)}`)}
          </Fact>
        )}
      </Facts>
      {dispute !== null && (
        <Notice
          tone={dispute.status === 'accepted' ? 'good' : 'plain'}
          title={t(`offramp.dispute_${dispute.status}`)}
        >
          <p>
            <code>{dispute.disputeId}</code>
          </p>
          {dispute.status !== 'open' && standing.kind === 'disputed' && <p>{t('dispute.onceEach')}</p>}
        </Notice>
      )}
      {standing.kind === 'unresolved' && <Notice tone="plain" title={t('dispute.unresolved')} />}
      {standing.kind === 'nobody' && <p>{t('offramp.standing_nobody')}</p>}
      {(standing.kind === 'open' || standing.kind === 'closed') && (
        <p>
          {t(`offramp.standing_${standing.kind}_${standing.party}`, {
            until: formats.dateTime(standing.until),
          })}
        </p>
      )}
      <p>
        <a href={`/offramp/${intentHash}`}>{t('dispute.toOfframp')}</a>
      </p>
    </Card>
  );
}

/** Whether the outcome stays out of the record even if a dispute of it is accepted (docs/intents.md). */
function neverCounts({ scored, uncountedReason }: NonNullable<IntentAnswer['outcome']>) {
  return !scored || uncountedReason === 'below_least_amount' || uncountedReason === 'account_day_full';
}

/** What an accepted dispute makes of an outcome (docs/disputes.md). */
function effectOf({ status, reason }: NonNullable<IntentAnswer['outcome']>) {
  if (status !== 'failed') return 'counts_not_filled';
  return reason === 'refunded' ? 'not_counted' : 'counts_filled';
}
