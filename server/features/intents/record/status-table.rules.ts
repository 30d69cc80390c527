/**
 * What a status word means for an intent:
 * - `open`: under way, whoever has to act next
 * - `asked`: under way, and waits for the customer to answer a question
 * - `ready`: cash lies ready for pick-up; the anchor has done its part
 * - `completed`, `refunded`: the anchor is done
 * - `closed`: given up by the anchor; may still be taken up again
 */
export type StatusGroup = 'open' | 'asked' | 'ready' | 'completed' | 'refunded' | 'closed';

interface Meaning {
  group: StatusGroup;
  /**
   * Whether a withdrawal reaches this status only after the user's payment arrived. `pending_anchor` also stands for
   * KYC before the payment, and `error` may come before it, so neither proves funds.
   */
  provesFunds: boolean;
}

const open = { group: 'open', provesFunds: false } as const;
const asked = { group: 'asked', provesFunds: false } as const;
const closed = { group: 'closed', provesFunds: false } as const;

/** The union of the status words of SEP-24 v3.8.0 and SEP-6 v4.3.0, as they apply to withdrawals. */
export const statusTable = {
  incomplete: open,
  pending_user_transfer_start: open,
  // "the Stellar payment has been successfully received by the anchor and the off-chain funds are available"
  pending_user_transfer_complete: { group: 'ready', provesFunds: true },
  // "submitted to external network": for a withdrawal that is the payout itself
  pending_external: { group: 'open', provesFunds: true },
  pending_anchor: open,
  // "additional checks after receiving user's funds"
  on_hold: { group: 'open', provesFunds: true },
  pending_stellar: open,
  pending_trust: open,
  pending_user: asked,
  // Words of SEP-6 that SEP-24 does not have; what they ask is the same.
  pending_customer_info_update: asked,
  pending_transaction_info_update: asked,
  completed: { group: 'completed', provesFunds: true },
  refunded: { group: 'refunded', provesFunds: true },
  // "funds were never received by the anchor": ends at once where nothing proves otherwise
  expired: closed,
  error: closed,
  no_market: closed,
  too_small: closed,
  too_large: closed,
} as const satisfies Record<string, Meaning>;

export type StatusWord = keyof typeof statusTable;

/** Stands for a word outside the table: still open, and no proof of anything. */
export const unrecognisedStatus = 'unrecognised';

export interface ReadStatus extends Meaning {
  word: StatusWord | typeof unrecognisedStatus;
}

/** Reads a status word. Never throws: anchors invent words, and one we do not know means "still open". */
export function readStatus(word: string): ReadStatus {
  if (!Object.hasOwn(statusTable, word)) return { word: unrecognisedStatus, ...open };
  return { word: word as StatusWord, ...statusTable[word as StatusWord] };
}
