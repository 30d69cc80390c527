import type { IntentAnswer } from '@fairlead/contract/client';

export type StageName =
  | 'registered'
  | 'attached'
  | 'paid'
  | 'received'
  | 'ready'
  | 'settled'
  | 'failed'
  | 'expired'
  | 'recovered'
  | 'ended';

/** `done` with its time where that is known; `waiting` for it now; `later`; `skipped`: it ended without it. */
export interface Stage {
  name: StageName;
  state: 'done' | 'waiting' | 'later' | 'skipped';
  at?: string;
}

/** The stages of an off-ramp in order. */
export function trackOf(intent: IntentAnswer): Stage[] {
  const { transaction, payment, outcome, deliveryMethod } = intent;
  const isCash = deliveryMethod === 'cash' || transaction?.readyAt != null;
  const attached = intent.steps.findLast(({ kind }) => kind === 'transaction_attached');
  const steps: (Omit<Stage, 'state'> & { isDone: boolean })[] = [
    { name: 'registered', isDone: true, at: intent.createdAt },
    { name: 'attached', isDone: transaction !== null, ...(attached && { at: attached.at }) },
    // The payment is a separate stage only if the service reads the ledger.
    ...(payment?.found ? [{ name: 'paid' as const, isDone: true, at: payment.found.closedAt }] : []),
    { name: 'received', ...reached(transaction?.fundsReceivedAt) },
    ...(isCash ? [{ name: 'ready' as const, ...reached(transaction?.readyAt) }] : []),
  ];
  const waitsFor = steps.findIndex(({ isDone }) => !isDone);
  const stages = steps.map(({ isDone, ...stage }, index): Stage => {
    if (isDone) return { ...stage, state: 'done' };
    if (outcome !== null) return { ...stage, state: 'skipped' };
    return { ...stage, state: index === waitsFor ? 'waiting' : 'later' };
  });
  return [...stages, ...endOf(outcome, waitsFor === -1)];
}

function endOf(outcome: IntentAnswer['outcome'], isNext: boolean): Stage[] {
  if (outcome === null) return [{ name: 'ended', state: isNext ? 'waiting' : 'later' }];
  const { status, recordedAt, recoveredAt } = outcome;
  if (recoveredAt === null) return [{ name: status, state: 'done', at: recordedAt }];
  return [
    { name: 'failed', state: 'done', at: recordedAt },
    { name: 'recovered', state: 'done', at: recoveredAt },
  ];
}

function reached(at: string | null | undefined): { isDone: boolean; at?: string } {
  return at == null ? { isDone: false } : { isDone: true, at };
}

/** The ends that are still possible. */
export function possibleEnds({ transaction, payment, outcome }: IntentAnswer) {
  if (outcome !== null) return [];
  if (transaction?.readyAt != null) return ['settled', 'failed', 'uncollected'] as const;
  const isFunded = transaction?.fundsReceivedAt != null || payment?.found != null;
  return isFunded ? (['settled', 'failed'] as const) : (['settled', 'failed', 'expired'] as const);
}
