import { type IntentAnswer, unwrap } from '@fairlead/contract/client';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../components/answer-view.js';
import { Field } from '../../components/controls.js';
import { Card } from '../../components/page-parts.js';
import { client } from '../../data/client.js';
import { useAnswer } from '../../data/use-answer.js';
import { useNow } from '../../data/use-now.js';
import { useLanguage } from '../../i18n/language.js';
import { DisputedOutcome } from './disputed-outcome.js';
import { FileCard, FilingNotice } from './file-card.js';
import { SignCard } from './sign-card.js';
import type { Signature } from './signature.js';
import { type Party, standingOf } from './standing.js';
import { type Filing, useFiling } from './use-filing.js';

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

/**
 * The key that may dispute, `G…`: the account's own, or the one that the anchor signs callbacks with. Null where none is
 * known, undefined while it is asked for; `answer` is how that goes.
 */
function useSignerKey(intent: IntentAnswer, party: Party | undefined) {
  const { account, anchorId } = intent;
  const answer = useAnswer(
    party === 'anchor'
      ? {
          key: ['anchor', anchorId],
          ask: async (signal) =>
            unwrap(await client.anchors.getAnchor({ params: { anchor: anchorId }, signal })),
        }
      : undefined,
  );
  return { answer, signer: party === 'anchor' ? answer.value?.signingKey : account };
}
