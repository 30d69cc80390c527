import type { AdminDispute, ResolveDisputeBody } from '@fairlead/contract/client';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../components/button.js';
import { Fact, Facts } from '../../components/facts.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './desk.module.css';
import { type Draft, verdictOf } from './verdict.js';

/** A verdict is final, so it is shown once more as it will be stored, with its effects. */
export function ConfirmStep(props: {
  draft: Draft & { action: 'accept' | 'reject' };
  dispute: AdminDispute;
  isSending: boolean;
  onConfirm: (verdict: ResolveDisputeBody) => void;
  onBack: () => void;
}) {
  const { t } = useLanguage();
  const { draft, dispute, isSending, onConfirm, onBack } = props;
  const question = useRef<HTMLParagraphElement>(null);
  // The button that led here is gone, and the focus with it.
  useEffect(() => question.current?.focus(), []);
  const verdict = verdictOf(dispute.id, draft);
  return (
    <div class={styles.form}>
      <p ref={question} tabIndex={-1} class={styles.question}>
        {t(`desk.confirm_${draft.action}`)}
      </p>
      <Facts>
        <Fact name={t('desk.changes')}>
          {t(draft.action === 'accept' ? `desk.effect_${dispute.effect}` : 'desk.effect_rejected')}
        </Fact>
        <Fact name={t('desk.note')}>{verdict.note ?? '–'}</Fact>
        <Fact name={t('desk.evidence')}>{verdict.evidence ?? '–'}</Fact>
        <Fact name={t('desk.actor')}>{verdict.actor ?? 'admin'}</Fact>
      </Facts>
      <div class={styles.buttons}>
        <Button strong disabled={isSending} onClick={() => onConfirm(verdict)}>
          {t(`desk.confirmed_${draft.action}`)}
        </Button>
        <Button disabled={isSending} onClick={onBack}>
          {t('desk.change')}
        </Button>
      </div>
    </div>
  );
}
