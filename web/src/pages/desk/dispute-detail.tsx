import type { AdminDispute } from '@fairlead/contract/client';
import { useEffect } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Button } from '../../components/controls.js';
import { Copyable } from '../../components/copyable.js';
import { At } from '../../components/inline.js';
import { Card, Facts } from '../../components/page-parts.js';
import { keepAnswer, useAnswer } from '../../data/use-answer.js';
import { useLanguage } from '../../i18n/language.js';
import { LedgerCard, MoneyCard, RecordCard, TermsCard } from '../offramp/evidence.js';
import { useIntent } from '../offramp/use-intent.js';
import { DecideCard } from './decide-card.js';
import styles from './desk.module.css';
import { DisputeMark } from './dispute-list.js';
import { disputeKey, disputeQuestion, type Session } from './session.js';

/** One dispute: the claim, beside it what is known of the off-ramp, and the decision. */
export function DisputeDetail(props: {
  session: Session;
  id: string;
  actor: string;
  onActor: (actor: string) => void;
  onRefused: () => void;
  onBack: () => void;
}) {
  const { t } = useLanguage();
  const { session, id, actor, onActor, onRefused, onBack } = props;
  const answer = useAnswer(disputeQuestion(session, id));
  const isRefused = answer.problem?.kind === 'refused' && answer.problem.status === 401;
  useEffect(() => {
    if (isRefused) onRefused();
  }, [isRefused, onRefused]);
  return (
    <>
      <div>
        <Button onClick={onBack}>{t('desk.back')}</Button>
      </div>
      <AnswerView answer={answer} lines={8}>
        {(dispute) => (
          <div class={styles.columns}>
            <div class={styles.column}>
              <ClaimCard dispute={dispute} />
              <DecideCard
                session={session}
                dispute={dispute}
                actor={actor}
                onActor={onActor}
                onDecided={(decided) => keepAnswer(disputeKey(session, id), decided)}
                onOvertaken={answer.ask}
              />
              <AuditCard dispute={dispute} />
            </div>
            <Evidence intentHash={dispute.intentHash} />
          </div>
        )}
      </AnswerView>
    </>
  );
}

function ClaimCard({ dispute }: { dispute: AdminDispute }) {
  const { t } = useLanguage();
  return (
    <Card title={t('desk.claim')} aside={<DisputeMark status={dispute.status} />}>
      {/* Untrusted text: it is shown as text, with its line breaks. */}
      <blockquote class={styles.claim}>{dispute.reason}</blockquote>
      <Facts
        of={{
          [t('desk.filedBy')]: (
            <>
              {t(`desk.by_${dispute.filedBy}`)} · <At instant={dispute.createdAt} />
            </>
          ),
          [t('desk.signature')]: (
            <>
              {t(`desk.signature_${dispute.filedBy}`)}{' '}
              <Copyable text={dispute.publicKey} name={t('desk.signature')} />
            </>
          ),
          [t('desk.support')]: t(`desk.supportWhy_${dispute.support}`),
          [t('desk.outcome')]: t(`offramp.status_${dispute.outcomeStatus}`),
          [t('desk.effect')]: t(`desk.effect_${dispute.effect}`),
          [t('offramp.disputeId')]: <Copyable text={dispute.id} name={t('offramp.disputeId')} />,
          [t('offramp.hash')]: (
            <a href={`/offramp/${dispute.intentHash}`} target="_blank" rel="noopener">
              <code>{dispute.intentHash}</code>
            </a>
          ),
        }}
      />
    </Card>
  );
}

/** The public data on the off-ramp. Links open beside the desk: leaving it would forget the key and the draft. */
function Evidence({ intentHash }: { intentHash: string }) {
  const answer = useIntent(intentHash);
  return (
    <div class={styles.column}>
      <AnswerView answer={answer} lines={8}>
        {(intent) => (
          <>
            <MoneyCard intent={intent} />
            <RecordCard intent={intent} target="_blank" />
            <LedgerCard intent={intent} />
            <TermsCard intent={intent} target="_blank" />
          </>
        )}
      </AnswerView>
    </div>
  );
}

function AuditCard({ dispute }: { dispute: AdminDispute }) {
  const { t } = useLanguage();
  return (
    <Card title={t('desk.audit')}>
      <ol class={styles.audit}>
        {dispute.audit.map((entry) => (
          <li key={`${entry.at} ${entry.action}`}>
            <p>
              <strong>{t(`desk.action_${entry.action}`)}</strong> · <At instant={entry.at} />
            </p>
            <p class={styles.soft}>
              <code>{entry.actor}</code>
            </p>
            {entry.note !== null && <p>{entry.note}</p>}
            {entry.evidence !== null && <p>{t('desk.evidenceGiven', { evidence: entry.evidence })}</p>}
          </li>
        ))}
      </ol>
    </Card>
  );
}
