import type { IntentAnswer } from '@fairlead/contract/client';

/** Who has to act next: the wallet and its person, the anchor, this service, or nobody any more. */
export type Party = 'wallet' | 'anchor' | 'service' | 'nobody';

/** The next action; each has its own text. */
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
  | 'done'
  | 'mayRecover';

export const partyOf = {
  attach: 'wallet',
  mendTransaction: 'wallet',
  mendPayment: 'wallet',
  awaitLook: 'service',
  finishForm: 'wallet',
  pay: 'wallet',
  awaitReceipt: 'anchor',
  prepare: 'anchor',
  answerAnchor: 'wallet',
  payOut: 'anchor',
  collect: 'wallet',
  awaitExpiry: 'service',
  done: 'nobody',
  mayRecover: 'anchor',
} as const satisfies Record<Turn, Party>;

/** The anchor's statuses that require an action of the person. */
const asksPerson = [
  'pending_user',
  'pending_customer_info_update',
  'pending_transaction_info_update',
  'pending_trust',
];

/** How long after a failure the anchor may still complete the withdrawal. */
const recoveryMs = 30 * 86_400_000;

/** The next action, from which `partyOf` derives who has to take it (docs/intents.md). */
export function turnOf(intent: IntentAnswer, now: number): Turn {
  const { transaction, payment, outcome, expiresAt } = intent;
  if (outcome !== null) {
    const isOpen = now < Date.parse(outcome.recordedAt) + recoveryMs;
    return outcome.status === 'failed' && outcome.reason !== 'refunded' && isOpen ? 'mayRecover' : 'done';
  }
  if (transaction === null) return now < Date.parse(expiresAt) ? 'attach' : 'awaitExpiry';
  if (transaction.problem !== null) return 'mendTransaction';
  if (transaction.readyAt !== null) return 'collect';
  const word = transaction.status ?? '';
  if (asksPerson.includes(word)) return 'answerAnchor';
  if (transaction.fundsReceivedAt !== null) return 'payOut';
  if (payment?.found) return 'awaitReceipt';
  if (problemToMend(payment) !== undefined) return 'mendPayment';
  if (transaction.lastSeenAt === null) return 'awaitLook';
  if (word === 'incomplete') return 'finishForm';
  if (now >= Date.parse(expiresAt)) return 'awaitExpiry';
  return word === 'pending_user_transfer_start' ? 'pay' : 'prepare';
}

/** Problems that need no action: the payment is looked up again. */
const passing: readonly string[] = ['ledger_unavailable', 'out_of_range', 'not_found'];

/** The first problem of a named payment that the wallet has to mend. */
export function problemToMend(payment: IntentAnswer['payment']) {
  const problems = payment?.named.flatMap(({ problem }) => problem ?? []);
  return problems?.find((problem) => !passing.includes(problem));
}
