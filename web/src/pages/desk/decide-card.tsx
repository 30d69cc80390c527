import type { AdminDispute, ResolveDisputeBody } from '@fairlead/contract/client';
import { useState } from 'preact/hooks';
import { Notice } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { SentNotice, useSending } from '../../components/sent.js';
import { useLanguage } from '../../i18n/language.js';
import { ConfirmStep, DraftForm } from './draft-form.js';
import type { Session } from './session.js';
import { type Draft, isOfAnother, isOvertaken } from './verdict.js';

/** What became of a verdict; another admin may have decided the same, or the other way. */
type Decided = 'accepted' | 'rejected' | 'sameByAnother' | 'overtaken';

const toneOf = { accepted: 'good', rejected: 'good', sameByAnother: 'warn', overtaken: 'bad' } as const;

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
  const { sent, send } = useSending<Decided>();
  const decide = (verdict: ResolveDisputeBody) =>
    void send(
      session.client.adminDisputes.resolveDispute({ body: verdict }),
      (answer): Decided | undefined => {
        if (answer.status === 200) {
          onDecided(answer.body);
          if (isOfAnother(verdict, answer.body)) return 'sameByAnother';
          return verdict.action === 'accept' ? 'accepted' : 'rejected';
        }
        if (!isOvertaken(answer)) return undefined;
        onOvertaken();
        return 'overtaken';
      },
    );
  const whole = { ...draft, actor };
  return (
    <Card title={t('desk.decide')}>
      {dispute.status !== 'open' ? (
        <p>{t(`desk.decided_${dispute.status}`)}</p>
      ) : step === 'confirm' && whole.action !== undefined ? (
        <ConfirmStep
          draft={{ ...whole, action: whole.action }}
          dispute={dispute}
          isSending={sent.state === 'sending'}
          onConfirm={decide}
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
      <SentNotice sent={sent} refused={t('desk.refused')} lost={t('desk.lost')}>
        {(decided) => (
          <Notice tone={toneOf[decided]} title={t(`desk.done_${decided}`)}>
            <p>{t(`desk.doneAbout_${decided}`)}</p>
          </Notice>
        )}
      </SentNotice>
    </Card>
  );
}
