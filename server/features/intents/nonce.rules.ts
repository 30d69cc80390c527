import { intentHash } from '../../../contract/verification/intent-hash.js';
import type { Intent } from './intent.js';

type StoredTerms = Pick<
  Intent,
  '_id' | 'corridor' | 'anchorId' | 'account' | 'sellAmount' | 'minReceive' | 'deliveryMethod' | 'deadline'
>;

/**
 * Whether the intent was registered with this nonce. The nonce is not stored: the hash of the stored terms with it must
 * be that of the intent. Whether the deadline is the wallet's, and so part of the hash, or our default is not stored
 * either, so both are tried.
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
