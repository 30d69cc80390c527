import type { AdminDispute, ResolveDisputeBody } from '@fairlead/contract/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Choice, TextField } from '../../components/controls.js';
import { Facts } from '../../components/page-parts.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './desk.module.css';
import { type Draft, lackOf, verdictOf } from './verdict.js';

const actions = ['accept', 'reject'] as const;

/** What the admin decides and why. */
export function DraftForm(props: {
  draft: Draft;
  support: AdminDispute['support'];
  onChange: (draft: Draft) => void;
  /** Whether the admin returned to change the draft. */
  isChange: boolean;
  onContinue: () => void;
}) {
  const { t } = useLanguage();
  const { draft, support, onChange, isChange, onContinue } = props;
  const [isChecked, setIsChecked] = useState(false);
  const verdicts = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that led back is gone, and the focus with it.
    if (isChange) verdicts.current?.querySelector<HTMLElement>(':checked')?.focus();
  }, []);
  const lack = lackOf(draft, support);
  const submit = (event: Event) => {
    event.preventDefault();
    setIsChecked(true);
    if (lack === undefined) onContinue();
  };
  return (
    <form class={styles.form} onSubmit={submit} noValidate>
      <div ref={verdicts}>
        <Choice
          legend={t('desk.verdict')}
          options={actions.map((value) => ({ value, label: t(`desk.verdict_${value}`) }))}
          value={draft.action}
          onChoose={(action) => onChange({ ...draft, action })}
        />
      </div>
      {isChecked && lack === 'action' && (
        <p class={styles.error} role="alert">
          {t('desk.lack_action')}
        </p>
      )}
      <TextField
        label={t('desk.note')}
        hint={t('desk.noteHint')}
        rows={3}
        maxLength={2_000}
        value={draft.note}
        onType={(note) => onChange({ ...draft, note })}
      />
      <TextField
        label={t('desk.evidence')}
        hint={t(support === 'unsupported' ? 'desk.evidenceNeeded' : 'desk.evidenceHint')}
        error={isChecked && lack === 'evidence' ? t('desk.lack_evidence') : undefined}
        rows={2}
        maxLength={2_000}
        value={draft.evidence}
        onType={(evidence) => onChange({ ...draft, evidence })}
      />
      <TextField
        label={t('desk.actor')}
        hint={t('desk.actorHint')}
        maxLength={100}
        value={draft.actor}
        onType={(actor) => onChange({ ...draft, actor })}
      />
      <div class={styles.buttons}>
        <Button type="submit" strong>
          {t('desk.continue')}
        </Button>
      </div>
    </form>
  );
}

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
      <Facts
        of={{
          [t('desk.changes')]: t(
            draft.action === 'accept' ? `desk.effect_${dispute.effect}` : 'desk.effect_rejected',
          ),
          [t('desk.note')]: verdict.note ?? '–',
          [t('desk.evidence')]: verdict.evidence ?? '–',
          [t('desk.actor')]: verdict.actor ?? 'admin',
        }}
      />
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
