import type { StepKind } from '../../../../contract/schemas/intents.js';
import type { Intent, Step } from '../intent.js';
import { nothingObserved } from './settle-time.rules.js';

/** Steps that anyone could repeat at will are recorded only up to this number; those of the outcome always are. */
const mostSteps = 100;
const alwaysRecorded: readonly StepKind[] = ['settled', 'failed', 'expired', 'recovered', 'reopened'];

/** The steps including those that this change makes. `releasedAt`: when the transaction passed to another intent. */
export function stepsAfter(before: Intent, after: Intent, releasedAt?: Date): readonly Step[] {
  const known = before.steps;
  const steps = [...known];
  const add = (kind: StepKind, at: Date | number | null | undefined, word?: string) => {
    if (steps.length >= mostSteps && !alwaysRecorded.includes(kind)) return;
    const latest = steps.at(-1)?.at ?? after.createdAt;
    steps.push({ kind, at: new Date(at ?? latest), ...(word === undefined ? {} : { word }) });
  };
  const { observations: seen, payment, status, attachedAt } = after;
  const isAnother = attachedAt?.getTime() !== before.attachedAt?.getTime();
  const was = isAnother ? nothingObserved : before.observations;
  if (before.status === 'expired' && status !== 'expired') add('reopened', payment.takenUpAtMs);
  if (isAnother && attachedAt === null) add('transaction_released', releasedAt);
  if (isAnother && attachedAt !== null) add('transaction_attached', attachedAt);
  if (seen.status !== null && seen.status !== was.status)
    add('transaction_status', seen.lastAtMs, seen.status);
  if (before.payment.found === null && payment.found !== null)
    add('payment_found', payment.found.lookedUpAtMs);
  if (was.fundedAtMs === null && seen.fundedAtMs !== null) add('funds_received', seen.fundedAtMs);
  if (was.readyAtMs === null && seen.readyAtMs !== null) add('ready_for_pickup', seen.readyAtMs);
  if (before.status === 'failed' && status === 'settled') add('recovered', after.recoveredAt);
  else if (status !== before.status && status !== 'pending') add(status, after.outcome?.recordedAt);
  return steps.length === known.length ? known : steps;
}
