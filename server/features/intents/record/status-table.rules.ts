/** The two protocols whose records are read: `sep24` hosted, `sep6` programmatic. */
export type Dialect = 'sep24' | 'sep6';

/**
 * What a status word means for an intent:
 * - `open`: under way, whoever has to act next
 * - `asked`: under way, and waits for the customer to answer a question
 * - `ready`: cash lies ready for pick-up; the anchor has done its part
 * - `completed`, `refunded`: the anchor is done
 * - `closed`: given up by the anchor; may still be taken up again
 */
export type StatusGroup = 'open' | 'asked' | 'ready' | 'completed' | 'refunded' | 'closed';

export interface StatusRule {
  dialects: readonly Dialect[];
  group: StatusGroup;
  /**
   * Whether a withdrawal reaches this status only after the user's payment arrived. `pending_anchor` also stands for
   * KYC before the payment, and `error` may come before it, so neither proves funds.
   */
  provesFunds: boolean;
}

const both: readonly Dialect[] = ['sep24', 'sep6'];
const open = { group: 'open', provesFunds: false } as const;
const asked = { group: 'asked', provesFunds: false } as const;
const closed = { group: 'closed', provesFunds: false } as const;

/** The union of the status words of SEP-24 v3.8.0 and SEP-6 v4.3.0, as they apply to withdrawals. */
export const statusTable = {
  incomplete: { dialects: both, ...open },
  pending_user_transfer_start: { dialects: both, ...open },
  // "the Stellar payment has been successfully received by the anchor and the off-chain funds are available"
  pending_user_transfer_complete: { dialects: both, group: 'ready', provesFunds: true },
  // "submitted to external network": for a withdrawal that is the payout itself
  pending_external: { dialects: both, group: 'open', provesFunds: true },
  pending_anchor: { dialects: both, ...open },
  // "additional checks after receiving user's funds"
  on_hold: { dialects: both, group: 'open', provesFunds: true },
  pending_stellar: { dialects: both, ...open },
  pending_trust: { dialects: both, ...open },
  pending_user: { dialects: both, ...asked },
  // Words of SEP-6 that SEP-24 does not have; what they ask is the same.
  pending_customer_info_update: { dialects: both, ...asked },
  pending_transaction_info_update: { dialects: both, ...asked },
  completed: { dialects: both, group: 'completed', provesFunds: true },
  refunded: { dialects: both, group: 'refunded', provesFunds: true },
  // "funds were never received by the anchor": ends at once where nothing proves otherwise
  expired: { dialects: both, ...closed },
  error: { dialects: both, ...closed },
  no_market: { dialects: both, ...closed },
  too_small: { dialects: both, ...closed },
  too_large: { dialects: both, ...closed },
} as const satisfies Record<string, StatusRule>;

export type StatusWord = keyof typeof statusTable;

/** Stands for a word outside the dialect's table: still open, and no proof of anything. */
export const unrecognisedStatus = 'unrecognised';

export interface ReadStatus extends Omit<StatusRule, 'dialects'> {
  word: StatusWord | typeof unrecognisedStatus;
}

/** Reads a status word. Never throws: anchors invent words, and one we do not know means "still open". */
export function readStatus(dialect: Dialect, word: string): ReadStatus {
  const rule: StatusRule | undefined = Object.hasOwn(statusTable, word)
    ? statusTable[word as StatusWord]
    : undefined;
  if (rule === undefined || !rule.dialects.includes(dialect)) {
    return { word: unrecognisedStatus, group: 'open', provesFunds: false };
  }
  return { word: word as StatusWord, group: rule.group, provesFunds: rule.provesFunds };
}
