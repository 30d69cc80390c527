import type { IntentAnswer } from '@fairlead/contract/client';
import { At } from '../../components/inline.js';
import { Notice } from '../../components/notice.js';
import { Card, Facts } from '../../components/page-parts.js';
import { useAnchorName } from '../../data/corridors.js';
import { codesOf } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { StandingText } from '../offramp/dispute-card.js';
import { StatusMark } from '../offramp/state-card.js';
import type { Standing } from './standing.js';

/** The outcome that would be disputed, who may do so, and what accepting changes. */
export function DisputedOutcome({ intent, standing }: { intent: IntentAnswer; standing: Standing }) {
  const { t, formats } = useLanguage();
  const { intentHash, anchorId, corridor, sellAmount, outcome, dispute } = intent;
  const anchorName = useAnchorName(anchorId);
  const { sold, paid } = codesOf(corridor);
  const isAtStake = standing.kind === 'open' || dispute?.status === 'open';
  return (
    <Card title={t('dispute.outcome')} aside={<StatusMark intent={intent} />}>
      <Facts
        of={{
          [t('offramp.sold')]: `${formats.asset(sellAmount, sold)} → ${paid}`,
          [t('offramp.anchor')]: <a href={`/anchors/${anchorId}`}>{anchorName}</a>,
          [t('dispute.recorded')]: outcome && (
            <>
              {t(`offramp.ended_${outcome.reason}`)} · <At instant={outcome.recordedAt} />
            </>
          ),
          [t('offramp.paidOut')]: outcome?.amountOut && formats.money(outcome.amountOut, paid),
          [t('dispute.ifAccepted')]: isAtStake && outcome && t(`dispute.accepted_${effectOf(outcome)}`),
        }}
      />
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
      <StandingText standing={standing} />
      <p>
        <a href={`/offramp/${intentHash}`}>{t('dispute.toOfframp')}</a>
      </p>
    </Card>
  );
}

/** What an accepted dispute makes of an outcome (docs/disputes.md); some never count, whatever is decided. */
function effectOf({ status, reason, scored, uncountedReason }: NonNullable<IntentAnswer['outcome']>) {
  if (!scored || uncountedReason === 'below_least_amount' || uncountedReason === 'account_day_full')
    return 'nothing';
  if (status !== 'failed') return 'counts_not_filled';
  return reason === 'refunded' ? 'not_counted' : 'counts_filled';
}
