import { intentHash } from '../../../../contract/verification/intent-hash.js';
import type { Intent } from '../intent.js';

type StoredTerms = Pick<
  Intent,
  '_id' | 'corridor' | 'anchorId' | 'account' | 'sellAmount' | 'minReceive' | 'deliveryMethod' | 'deadline'
>;

/**
 * Whether the intent was registered with this nonce. The nonce is not stored: the stored terms and this nonce must hash to
 * the id of the intent. The deadline is part of the hash only if the wallet set it; whether it did is not stored either,
 * so both hashes are tried.
 */
export function isNonceOf(intent: StoredTerms, nonce: string): boolean {
  const { corridor, anchorId, account, sellAmount } = intent;
  const terms = {
    corridor,
    anchorId,
    account,
    sellAmount,
    minReceive: intent.minReceive ?? undefined,
    deliveryMethod: intent.deliveryMethod ?? undefined,
    nonce,
  };
  const expiresAt = intent.deadline.toISOString();
  return intentHash({ ...terms, expiresAt }) === intent._id || intentHash(terms) === intent._id;
}
