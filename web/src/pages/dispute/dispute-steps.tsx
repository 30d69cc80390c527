import type { FileDisputeBody, IntentAnswer } from '@fairlead/contract/client';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../components/answer-view.js';
import { TextField } from '../../components/controls.js';
import { Card } from '../../components/page-parts.js';
import { useSending } from '../../components/sent.js';
import { client } from '../../data/client.js';
import { useAnswer } from '../../data/use-answer.js';
import { useNow } from '../../data/use-now.js';
import { useLanguage } from '../../i18n/language.js';
import { anchorQuestion } from '../anchors/questions.js';
import { DisputedOutcome } from './disputed-outcome.js';
import { FileCard, type Filed, FilingNotice } from './file-card.js';
import { SignCard } from './sign-card.js';
import type { Signature } from './signature.js';
import { type Party, standingOf } from './standing.js';

const longestReason = 2_000;

/** From the outcome to the filed dispute: what happened, the signature, the request as it is sent. */
export function DisputeSteps({ intent, onFiled }: { intent: IntentAnswer; onFiled: () => void }) {
  const { t } = useLanguage();
  const now = useNow();
  const [reason, setReason] = useState('');
  const [signature, setSignature] = useState<Signature>();
  const { sent, send, reset } = useSending<Filed>();
  const file = (dispute: FileDisputeBody) =>
    void send(client.disputes.fileDispute({ body: dispute }), ({ status, body }) => {
      if (status !== 200 && status !== 201) return undefined;
      onFiled();
      return { dispute: body, isNew: status === 201 };
    });
  const standing = standingOf(intent, now);
  const { answer, signer } = useSignerKey(intent, standing.kind === 'open' ? standing.party : undefined);
  const { intentHash, anchorId } = intent;
  const isOver = standing.kind !== 'open' || sent.state === 'done';
  return (
    <>
      <DisputedOutcome intent={intent} standing={standing} />
      {!isOver && (
        <>
          <Card title={t('dispute.what')}>
            <TextField
              label={t('dispute.reason')}
              hint={t('dispute.reasonLeft', { count: longestReason - reason.length })}
              rows={4}
              maxLength={longestReason}
              value={reason}
              onType={setReason}
            />
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
              isSending={sent.state === 'sending'}
              mustWait={sent.state === 'refused' && now < (sent.retryAt ?? 0)}
              onFile={file}
              onDiscard={() => setSignature(undefined)}
            />
          )}
        </>
      )}
      <FilingNotice filing={sent} intentHash={intentHash} />
    </>
  );
}

/**
 * The key that may dispute, `G…`: the account's own, or the one that the anchor signs callbacks with. Null where none is
 * known, undefined while it is asked for; `answer` is how that goes.
 */
function useSignerKey(intent: IntentAnswer, party: Party | undefined) {
  const { account, anchorId } = intent;
  const answer = useAnswer(party === 'anchor' ? anchorQuestion(anchorId) : undefined);
  return { answer, signer: party === 'anchor' ? answer.value?.signingKey : account };
}
