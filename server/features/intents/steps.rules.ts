import type { IntentStatus, TransitionKind } from '../../../contract/schemas/intents.js';
import type { Intent, Step } from './intent.js';

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

/** The state of an intent after some of its steps. */
interface Standing {
  status: IntentStatus;
  attachedAtMs: number | null;
  word: string | null;
  found: boolean;
  funded: boolean;
  ready: boolean;
}

/** Steps that anyone could repeat at will are recorded only up to this number; those of the outcome always are. */
const mostSteps = 100;

const atFirst: Standing = {
  status: 'pending',
  attachedAtMs: null,
  word: null,
  found: false,
  funded: false,
  ready: false,
};

const statusAfter: Partial<Record<TransitionKind, IntentStatus>> = {
  settled: 'settled',
  failed: 'failed',
  expired: 'expired',
  recovered: 'settled',
  reopened: 'pending',
};

function standingAfter(before: Standing, { kind, at, word }: Step): Standing {
  switch (kind) {
    case 'transaction_attached':
      return { ...before, attachedAtMs: at.getTime() };
    case 'transaction_released':
      return { ...atFirst, status: before.status };
    case 'transaction_status':
      return { ...before, word: word ?? null };
    case 'payment_found':
      return { ...before, found: true };
    case 'funds_received':
      return { ...before, funded: true };
    case 'ready_for_pickup':
      return { ...before, ready: true };
    default:
      return { ...before, status: statusAfter[kind] ?? before.status };
  }
}

/**
 * Every step of an intent so far: the stored ones, and those that its present state shows to be missing. All are missing
 * where the intent was stored before steps were, and some where an instance of an older release wrote since. They follow
 * from the stored document alone, so every reader derives the same ones, and the next write stores them. `releasedAt`:
 * when the transaction passed to another intent, if it does so now.
 */
export function stepsOf(intent: SteppedIntent, releasedAt?: Date): readonly Step[] {
  const stored = intent.steps ?? [];
  const steps: Step[] = [...stored];
  let now = steps.reduce(standingAfter, atFirst);
  const add = (kind: TransitionKind, at: Date, word?: string) => {
    const step: Step = { kind, at, ...(word === undefined ? {} : { word }) };
    steps.push(step);
    now = standingAfter(now, step);
  };
  const addUnlessTooMany = (...step: Parameters<typeof add>) => {
    if (steps.length < mostSteps) add(...step);
  };
  const last = () => steps.at(-1)?.at ?? intent.createdAt;

  if (steps.length === 0) add('registered', intent.createdAt);
  if (now.status === 'expired' && intent.status !== 'expired') {
    add('reopened', dateOf(intent.payment.takenUpAtMs) ?? last());
  }
  const { transactionId, attachedAt, observations, payment } = intent;
  const isFollowed = now.status === 'pending' || now.status === 'failed';
  if (isFollowed && transactionId === undefined && now.attachedAtMs !== null) {
    addUnlessTooMany('transaction_released', releasedAt ?? last());
  }
  if (isFollowed && transactionId !== undefined) {
    if (now.attachedAtMs !== (attachedAt?.getTime() ?? null)) {
      addUnlessTooMany('transaction_attached', attachedAt ?? last());
    }
    const { status: word, lastAtMs } = observations;
    if (word !== null && word !== now.word) {
      addUnlessTooMany('transaction_status', dateOf(lastAtMs) ?? last(), word);
    }
  }
  if (payment.found !== null && !now.found) {
    addUnlessTooMany('payment_found', new Date(payment.found.lookedUpAtMs));
  }
  if (isFollowed && transactionId !== undefined) {
    const fundedAt = dateOf(observations.fundedAtMs);
    if (fundedAt !== null && !now.funded) addUnlessTooMany('funds_received', fundedAt);
    const readyAt = dateOf(observations.readyAtMs);
    if (readyAt !== null && !now.ready) addUnlessTooMany('ready_for_pickup', readyAt);
  }
  if (intent.status !== now.status) {
    const { kind, at } = endOf(now.status, intent);
    add(kind, at ?? last());
  }
  return steps;
}

function endOf(
  from: IntentStatus,
  { status, outcome, recoveredAt }: SteppedIntent,
): { kind: TransitionKind; at: Date | undefined } {
  const recordedAt = outcome?.recordedAt;
  if (from === 'failed' && status === 'settled') return { kind: 'recovered', at: recoveredAt ?? recordedAt };
  return { kind: status === 'pending' ? 'reopened' : status, at: recordedAt };
}

/** The status of the intent, and the status that the anchor last reported, after each step. */
export function standingsOf(steps: readonly Step[]): { status: IntentStatus; word: string | null }[] {
  let now = atFirst;
  return steps.map((step) => {
    now = standingAfter(now, step);
    return { status: now.status, word: now.word };
  });
}

/**
 * Whether no step can follow: the intent has ended, and neither a look nor a ledger look-up is due. Where no ledger is
 * configured (`asksLedger`), no look-up is made, even if one is stored: a ledger may be configured later.
 */
export function isOver(
  { status, open, lookUpDue }: Pick<Intent, 'status' | 'open' | 'lookUpDue'>,
  { asksLedger }: { asksLedger: boolean },
): boolean {
  return status !== 'pending' && !open && (lookUpDue === undefined || !asksLedger);
}

function dateOf(ms: number | null | undefined): Date | null {
  return ms == null ? null : new Date(ms);
}
