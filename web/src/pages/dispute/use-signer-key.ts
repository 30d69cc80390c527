import { type IntentAnswer, unwrap } from '@fairlead/contract/client';
import { client } from '../../data/client.js';
import { useAnswer } from '../../data/use-answer.js';
import type { Party } from './standing.js';

/**
 * The key that may dispute, `G…`: the account's own, or the one that the anchor signs callbacks with. Null where none is
 * known, undefined while it is asked for; `answer` is how that goes.
 */
export function useSignerKey(intent: IntentAnswer, party: Party | undefined) {
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
