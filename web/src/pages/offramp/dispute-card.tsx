import type { IntentAnswer } from '@fairlead/contract/client';
import { At } from '../../components/inline.js';
import { Card, Facts } from '../../components/page-parts.js';
import { useNow } from '../../data/use-now.js';
import { useLanguage } from '../../i18n/language.js';
import { type Standing, standingOf } from '../dispute/standing.js';

/** The dispute of the outcome, and who may dispute it until when. */
export function DisputeCard({ intent }: { intent: IntentAnswer }) {
  const { t } = useLanguage();
  const { dispute, intentHash } = intent;
  const standing = standingOf(intent, useNow());
  if (standing.kind === 'unresolved' && dispute === null) return null;
  return (
    <Card title={t('offramp.dispute')}>
      {dispute !== null && (
        <>
          <p>{t(`offramp.dispute_${dispute.status}`)}</p>
          <Facts
            of={{
              [t('offramp.disputeFiled')]: <At instant={dispute.createdAt} />,
              [t('offramp.disputeDecided')]: dispute.resolvedAt && <At instant={dispute.resolvedAt} />,
              [t('offramp.disputeId')]: <code>{dispute.disputeId}</code>,
            }}
          />
        </>
      )}
      <StandingText standing={standing} />
      {standing.kind === 'open' && (
        <p>
          <a href={`/dispute?intent=${intentHash}`}>{t('offramp.toDispute')}</a>
        </p>
      )}
    </Card>
  );
}

/** Who may dispute an outcome until when, in a sentence. */
export function StandingText({ standing }: { standing: Standing }) {
  const { t, formats } = useLanguage();
  if (standing.kind === 'nobody') return <p>{t('offramp.standing_nobody')}</p>;
  if (standing.kind !== 'open' && standing.kind !== 'closed') return null;
  const { kind, party, until } = standing;
  return <p>{t(`offramp.standing_${kind}_${party}`, { until: formats.dateTime(until) })}</p>;
}
