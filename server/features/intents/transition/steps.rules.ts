import type { IntentStatus, StepKind } from '../../../../contract/schemas/intents.js';
import type { Intent, Step } from '../intent.js';

/** The fields of an intent from which its steps are derived. */
export type SteppedIntent = Pick<
  Intent,
  | 'status'
  | 'createdAt'
  | 'transactionId'
  | 'attachedAt'
  | 'observations'
  | 'payment'
  | 'outcome'
  | 'recoveredAt'
  | 'steps'
>;

/** Steps that anyone could repeat at will are recorded only up to this number; those of the outcome always are. */
const mostSteps = 100;

const statusAfter: Partial<Record<StepKind, IntentStatus>> = {
  settled: 'settled',
  failed: 'failed',
  expired: 'expired',
  recovered: 'settled',
  reopened: 'pending',
};

/**
 * Every step of an intent so far: those that are stored, and those that led from there to its present state, which the next
 * write stores. `releasedAt`: when the transaction passed to another intent, if it does so now.
 */
export function stepsOf(intent: SteppedIntent, releasedAt?: Date): readonly Step[] {
  const { transactionId, attachedAt, observations, payment } = intent;
  const steps: Step[] = [...(intent.steps ?? [{ kind: 'registered', at: intent.createdAt }])];
  const latest = () => steps.at(-1)?.at ?? intent.createdAt;
  const add = (step: Step) => void steps.push(step);
  const addUnlessTooMany = (step: Step) => steps.length < mostSteps && add(step);
  /** The last step of this kind about the transaction that the intent follows. */
  const lastOf = (kind: StepKind) =>
    steps
      .slice(steps.findLastIndex((step) => step.kind === 'transaction_released') + 1)
      .findLast((step) => step.kind === kind);

  if (statusOf(steps) === 'expired' && intent.status !== 'expired') {
    add({ kind: 'reopened', at: dateOf(payment.takenUpAtMs) ?? latest() });
  }
  const isFollowed = statusOf(steps) === 'pending' || statusOf(steps) === 'failed';
  const isAttached = isFollowed && transactionId !== undefined;
  if (isFollowed && transactionId === undefined && lastOf('transaction_attached') !== undefined) {
    addUnlessTooMany({ kind: 'transaction_released', at: releasedAt ?? latest() });
  }
  if (isAttached && lastOf('transaction_attached')?.at.getTime() !== attachedAt?.getTime()) {
    addUnlessTooMany({ kind: 'transaction_attached', at: attachedAt ?? latest() });
  }
  const { status: word, lastAtMs } = observations;
  if (isAttached && word !== null && word !== lastOf('transaction_status')?.word) {
    addUnlessTooMany({ kind: 'transaction_status', at: dateOf(lastAtMs) ?? latest(), word });
  }
  const addOnce = (kind: StepKind, at: Date | null) => {
    if (at !== null && lastOf(kind) === undefined) addUnlessTooMany({ kind, at });
  };
  addOnce('payment_found', dateOf(payment.found?.lookedUpAtMs));
  if (isAttached) {
    addOnce('funds_received', dateOf(observations.fundedAtMs));
    addOnce('ready_for_pickup', dateOf(observations.readyAtMs));
  }
  if (statusOf(steps) !== intent.status) {
    const { kind, at } = endOf(statusOf(steps), intent);
    add({ kind, at: at ?? latest() });
  }
  return steps;
}

function statusOf(steps: readonly Step[]): IntentStatus {
  const last = steps.findLast(({ kind }) => statusAfter[kind] !== undefined);
  return (last && statusAfter[last.kind]) ?? 'pending';
}

function endOf(
  from: IntentStatus,
  { status, outcome, recoveredAt }: SteppedIntent,
): { kind: StepKind; at: Date | undefined } {
  const recordedAt = outcome?.recordedAt;
  if (from === 'failed' && status === 'settled') return { kind: 'recovered', at: recoveredAt ?? recordedAt };
  return { kind: status === 'pending' ? 'reopened' : status, at: recordedAt };
}

function dateOf(ms: number | null | undefined): Date | null {
  return ms == null ? null : new Date(ms);
}
