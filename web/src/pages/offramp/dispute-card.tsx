import type { IntentAnswer } from '@fairlead/contract/client';
import { Card, Fact, Facts } from '../../components/page-parts.js';
import { useNow } from '../../data/use-now.js';
import { useLanguage } from '../../i18n/language.js';
import { standingOf } from '../dispute/standing.js';

/** The dispute of the outcome, and who may dispute it until when. */
export function DisputeCard({ intent }: { intent: IntentAnswer }) {
  const { t, formats } = useLanguage();
  const now = useNow();
  const { dispute, intentHash } = intent;
  const standing = standingOf(intent, now);
  if (standing.kind === 'unresolved' && dispute === null) return null;
  return (
    <Card title={t('offramp.dispute')}>
      {dispute !== null && (
        <>
          <p>{t(`offramp.dispute_${dispute.status}`)}</p>
          <Facts>
            <Fact name={t('offramp.disputeId')}>
              <code>{dispute.disputeId}</code>
            </Fact>
            <Fact name={t('offramp.disputeFiled')}>
              <time dateTime={dispute.createdAt}>{formats.dateTime(dispute.createdAt)}</time>
            </Fact>
            {dispute.resolvedAt !== null && (
              <Fact name={t('offramp.disputeDecided')}>
                <time dateTime={dispute.resolvedAt}>{formats.dateTime(dispute.resolvedAt)}</time>
              </Fact>
            )}
          </Facts>
        </>
      )}
      {standing.kind === 'nobody' && <p>{t('offramp.standing_nobody')}</p>}
      {(standing.kind === 'open' || standing.kind === 'closed') && (
        <p>
          {t(`offramp.standing_${standing.kind}_${standing.party}`, {
            until: formats.dateTime(standing.until),
          })}
        </p>
      )}
      {standing.kind === 'open' && (
        <p>
          <a href={`/dispute?intent=${intentHash}`}>{t('offramp.toDispute')}</a>
        </p>
      )}
    </Card>
  );
}
