import type { AdminDispute } from '@fairlead/contract/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Notice } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { useNow } from '../../data/use-now.js';
import { useLanguage } from '../../i18n/language.js';
import { ConfirmStep, DraftForm } from './draft-form.js';
import type { Session } from './session.js';
import { type Decision, useDecision } from './use-decision.js';
import type { Draft } from './verdict.js';

/** Decides the dispute in two steps: a draft, then the confirmation of exactly what is sent. */
export function DecideCard(props: {
  session: Session;
  dispute: AdminDispute;
  actor: string;
  onActor: (actor: string) => void;
  onDecided: (dispute: AdminDispute) => void;
  onOvertaken: () => void;
}) {
  const { t } = useLanguage();
  const { session, dispute, actor, onActor, onDecided, onOvertaken } = props;
  const [draft, setDraft] = useState<Omit<Draft, 'actor'>>({ action: undefined, note: '', evidence: '' });
  const [step, setStep] = useState<'draft' | 'confirm' | 'changed'>('draft');
  const { decision, decide } = useDecision(session, onDecided, onOvertaken);
  const whole = { ...draft, actor };
  return (
    <Card title={t('desk.decide')}>
      {dispute.status !== 'open' ? (
        <p>{t(`desk.decided_${dispute.status}`)}</p>
      ) : step === 'confirm' && whole.action !== undefined ? (
        <ConfirmStep
          draft={{ ...whole, action: whole.action }}
          dispute={dispute}
          isSending={decision.state === 'sending'}
          onConfirm={(verdict) => void decide(verdict)}
          onBack={() => setStep('changed')}
        />
      ) : (
        <DraftForm
          draft={whole}
          support={dispute.support}
          onChange={({ actor: named, ...rest }) => {
            onActor(named);
            setDraft(rest);
          }}
          isChange={step === 'changed'}
          onContinue={() => setStep('confirm')}
        />
      )}
      <DecisionNotice decision={decision} />
    </Card>
  );
}

/** What became of the verdict. It takes the focus, since the button that sent it is gone, or was off meanwhile. */
function DecisionNotice({ decision }: { decision: Decision }) {
  const place = useRef<HTMLDivElement>(null);
  const isAnswered = decision.state !== 'none' && decision.state !== 'sending';
  useEffect(() => {
    if (isAnswered) place.current?.focus();
  }, [isAnswered]);
  if (!isAnswered) return null;
  return (
    <div ref={place} tabIndex={-1}>
      <Outcome decision={decision} />
    </div>
  );
}

function Outcome({ decision }: { decision: Decision }) {
  const { t } = useLanguage();
  const now = useNow();
  switch (decision.state) {
    case 'none':
    case 'sending':
      return null;
    case 'decided':
      return decision.isOfAnother ? (
        <Notice tone="warn" title={t('desk.sameByAnother')}>
          <p>{t('desk.sameByAnotherWhy')}</p>
        </Notice>
      ) : (
        <Notice tone="good" title={t(`desk.done_${decision.status}`)}>
          <p>{t('desk.scoresFollow')}</p>
        </Notice>
      );
    case 'overtaken':
      return (
        <Notice tone="bad" title={t('desk.overtaken')}>
          <p>{t('desk.overtakenWhy')}</p>
        </Notice>
      );
    case 'refused': {
      const seconds = Math.ceil(((decision.retryAt ?? 0) - now) / 1_000);
      return (
        <Notice tone="bad" title={t('desk.refused')}>
          <p>
            <code>{decision.code}</code> {decision.message}
          </p>
          {seconds > 0 && <p>{t('dispute.againIn', { seconds })}</p>}
        </Notice>
      );
    }
    case 'lost':
      return (
        <Notice
          tone="warn"
          title={t(decision.isOffline ? 'common.problemOffline' : 'common.problemUnreachable')}
        >
          <p>{t('desk.lost')}</p>
        </Notice>
      );
  }
}
