import type { IntentAnswer } from '@fairlead/contract/client';
import { standingOf } from '../dispute/standing.js';

/** What happens next; each has its texts: `offramp.now_pay` is the state in a sentence, `offramp.next_pay` what follows. */
export type Turn =
  | 'attach'
  | 'mendTransaction'
  | 'mendPayment'
  | 'awaitLook'
  | 'finishForm'
  | 'pay'
  | 'awaitReceipt'
  | 'prepare'
  | 'answerAnchor'
  | 'payOut'
  | 'collect'
  | 'awaitExpiry'
  | 'decide'
  | 'mayRecover'
  | 'mayDispute'
  | 'done';

/** Whether the person, or the wallet, has to act. */
export function asksPerson(turn: Turn): boolean {
  return /^(attach|mend|finishForm|pay$|answerAnchor|collect)/.test(turn);
}

/** The anchor's statuses that require an action of the person. */
const questions = [
  'pending_user',
  'pending_customer_info_update',
  'pending_transaction_info_update',
  'pending_trust',
];

const dayMs = 86_400_000;
/** How long after a failure the anchor may still complete the withdrawal, and how long it waits for its customer. */
const monthMs = 30 * dayMs;

/** What happens next (docs/intents.md). */
export function turnOf(intent: IntentAnswer, now: number): Turn {
  const { transaction, payment, outcome, expiresAt, dispute } = intent;
  if (outcome !== null) {
    if (dispute?.status === 'open') return 'decide';
    const isOpen = dispute?.status !== 'accepted' && now < Date.parse(outcome.recordedAt) + monthMs;
    if (outcome.status === 'failed' && outcome.reason !== 'refunded' && isOpen) return 'mayRecover';
    const standing = standingOf(intent, now);
    return standing.kind === 'open' && standing.party === 'account' ? 'mayDispute' : 'done';
  }
  if (transaction === null) return now < Date.parse(expiresAt) ? 'attach' : 'awaitExpiry';
  if (transaction.problem !== null) return 'mendTransaction';
  if (transaction.readyAt !== null) return 'collect';
  const word = transaction.status ?? '';
  if (questions.includes(word)) return 'answerAnchor';
  if (transaction.fundsReceivedAt !== null) return 'payOut';
  if (payment?.found) return 'awaitReceipt';
  if (problemToMend(payment) !== undefined) return 'mendPayment';
  if (transaction.lastSeenAt === null) return 'awaitLook';
  if (word === 'incomplete') return 'finishForm';
  if (now >= Date.parse(expiresAt)) return 'awaitExpiry';
  return word === 'pending_user_transfer_start' ? 'pay' : 'prepare';
}

/** By when that happens; undefined where there is no such time. `overdueAfterSeconds` is that of the corridor. */
export function dueOf(intent: IntentAnswer, turn: Turn, overdueAfterSeconds = 0): string | undefined {
  const { transaction, payment, outcome, expiresAt } = intent;
  const after = (at: string | null | undefined, ms: number) =>
    at == null || ms === 0 ? undefined : new Date(Date.parse(at) + ms).toISOString();
  switch (turn) {
    case 'awaitLook':
    case 'decide':
    case 'done':
      return undefined;
    case 'awaitReceipt':
    case 'payOut':
      return after(transaction?.fundsReceivedAt ?? payment?.found?.closedAt, overdueAfterSeconds * 1_000);
    case 'collect':
      return after(transaction?.readyAt, monthMs);
    case 'awaitExpiry':
      return after(transaction && expiresAt, dayMs);
    case 'mayRecover':
    case 'mayDispute':
      return after(outcome?.recoveredAt ?? outcome?.recordedAt, monthMs);
    default:
      return transaction?.fundsReceivedAt == null ? expiresAt : undefined;
  }
}

/** Problems that need no action: the payment is looked up again. */
const passing: readonly string[] = ['ledger_unavailable', 'out_of_range', 'not_found'];

/** The first problem of a named payment that the wallet has to mend. */
export function problemToMend(payment: IntentAnswer['payment']) {
  const problems = payment?.named.flatMap(({ problem }) => problem ?? []);
  return problems?.find((problem) => !passing.includes(problem));
}
