import { Decimal } from 'decimal.js';
import { isAsset } from '../../../../contract/anchor-documents/values.js';
import type { UnscoredReason } from '../../../../contract/schemas/intents.js';
import type { Intent } from '../intent.js';
import { accountOf } from './accounts.rules.js';
import type { TransactionRecord } from './sep-record.rules.js';

/** The terms of an intent that its transaction is compared with. */
export type EligibilityTerms = Pick<Intent, 'account' | 'createdAt' | 'corridorTerms'>;

/** Anchors' clocks differ from ours. Old transactions are mainly excluded by the required observation before payment. */
const startedAtToleranceMs = 60_000;

const withdrawalKinds: ReadonlySet<string> = new Set(['withdrawal', 'withdrawal-exchange']);
const amountTolerance = '0.1';

/** Faults of the withdrawal itself, which no payment corrects; the ledger shows sender, amount and time more reliably. */
export const faultsOfWithdrawal: ReadonlySet<UnscoredReason | null> = new Set([
  'not_a_withdrawal',
  'asset_mismatch',
  'started_before_intent',
]);

/**
 * Why the record shows that the transaction cannot belong to this intent; null where it shows no such fault. `before` is
 * the result of earlier records (undefined where there were none); it is used for the members that this record omits.
 */
export function identityFault(
  record: TransactionRecord,
  { account, createdAt, corridorTerms }: EligibilityTerms,
  before?: UnscoredReason | null,
): UnscoredReason | null {
  const { kind, from, amountInAsset, amountOutAsset, startedAtMs } = record;
  if (kind === null ? before === undefined || before === 'not_a_withdrawal' : !withdrawalKinds.has(kind)) {
    return 'not_a_withdrawal';
  }
  if (from === null ? before === 'sender_mismatch' : !isSameAccount(from, account)) {
    return 'sender_mismatch';
  }
  const unnamed = amountInAsset === null && amountOutAsset === null;
  const { sellAsset, buyAsset } = corridorTerms;
  const asTold =
    isAsset(amountInAsset ?? sellAsset, sellAsset) && isAsset(amountOutAsset ?? buyAsset, buyAsset);
  if (unnamed ? before === 'asset_mismatch' : !asTold) return 'asset_mismatch';
  const tooEarly = startedAtMs !== null && startedAtMs < createdAt.getTime() - startedAtToleranceMs;
  if (startedAtMs === null ? before === 'started_before_intent' : tooEarly) return 'started_before_intent';
  return null;
}

/** Whether what was paid in is within 10 % of what the intent announced. */
export function isAnnouncedAmount(amountIn: string, sellAmount: string): boolean {
  const announced = new Decimal(sellAmount);
  return announced.minus(amountIn).abs().lte(announced.times(amountTolerance));
}

/** Whether the sender that a record names is `account` (`G…`): itself, or a muxed `M…` account over the same key. */
function isSameAccount(sender: string, account: string): boolean {
  return sender === account || accountOf(sender) === account;
}
