import type { IntentAnswer } from '@fairlead/contract/client';
import { useState } from 'preact/hooks';
import { Card } from '../../components/card.js';
import { Field } from '../../components/field.js';
import { ProblemNotice } from '../../components/problem-notice.js';
import { useNow } from '../../data/use-now.js';
import { useLanguage } from '../../i18n/language.js';
import { DisputedOutcome } from './disputed-outcome.js';
import { FileCard } from './file-card.js';
import { FilingNotice } from './filing-notice.js';
import { SignCard } from './sign-card.js';
import type { Signature } from './signer-props.js';
import { standingOf } from './standing.js';
import { type Filing, useFiling } from './use-filing.js';
import { useSignerKey } from './use-signer-key.js';

const longestReason = 2_000;

/** From the outcome to the filed dispute: what happened, the signature, the request as it is sent. */
export function DisputeSteps({ intent, onFiled }: { intent: IntentAnswer; onFiled: () => void }) {
  const { t } = useLanguage();
  const now = useNow();
  const [reason, setReason] = useState('');
  const [signature, setSignature] = useState<Signature>();
  const { filing, file, reset } = useFiling(onFiled);
  const standing = standingOf(intent, now);
  const { answer, signer } = useSignerKey(intent, standing.kind === 'open' ? standing.party : undefined);
  const { intentHash, anchorId } = intent;
  const isOver = standing.kind !== 'open' || filing.state === 'filed';
  return (
    <>
      <DisputedOutcome intent={intent} standing={standing} />
      {!isOver && (
        <>
          <Card title={t('dispute.what')}>
            <Field
              label={t('dispute.reason')}
              hint={t('dispute.reasonLeft', { count: longestReason - reason.length })}
            >
              {(ids) => (
                <textarea
                  {...ids}
                  rows={4}
                  maxLength={longestReason}
                  value={reason}
                  onInput={(event) => setReason(event.currentTarget.value)}
                />
              )}
            </Field>
          </Card>
          <ProblemNotice answer={answer} />
          <SignCard
            intentHash={intentHash}
            party={standing.party}
            signer={signer}
            signature={signature}
            onSign={(made) => {
              setSignature(made);
              reset();
            }}
          />
          {signature !== undefined && (
            <FileCard
              body={{ intentHash, anchorId, ...signature, reason: reason.trim() }}
              isSending={filing.state === 'sending'}
              mustWait={mustWait(filing, now)}
              onFile={file}
              onDiscard={() => setSignature(undefined)}
            />
          )}
        </>
      )}
      <FilingNotice filing={filing} intentHash={intentHash} now={now} />
    </>
  );
}

function mustWait(filing: Filing, now: number): boolean {
  return filing.state === 'refused' && filing.retryAt !== undefined && now < filing.retryAt;
}
