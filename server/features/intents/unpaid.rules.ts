import type { OutcomeReason } from '../../../contract/schemas/intents.js';

const dayMs = 86_400_000;

/** The endings of intents that no funds were ever seen of. */
export type UnpaidEnding = Extract<OutcomeReason, 'no_transaction' | 'never_funded' | 'abandoned'>;

/**
 * How long an unpaid intent is kept after it ended, at least. One that had a transaction can be disputed for 30 days and is
 * kept a day longer. Any other changes only if a payment that it names is found, and is kept while that is looked up
 * (unpaid-store.ts).
 */
export const lookBackMs: Readonly<Record<UnpaidEnding, number>> = {
  no_transaction: 3 * dayMs,
  never_funded: 31 * dayMs,
  abandoned: 31 * dayMs,
};

/** Whether `hasRoom` holds for every client, since no client can hold more than all intents together. */
export function hasRoomForAll(places: { max: number; taken: number }): boolean {
  return places.taken < places.max - places.taken;
}

/**
 * Whether a client may register another intent: it may while it holds fewer unpaid ones than places are free. So the
 * client that holds most is refused first, and the free places never run out: N clients that take all they can get 1/(N +
 * 1) of the places each, and leave as many to the next one.
 */
export function hasRoom(places: { max: number; taken: number; ofClient: number }): boolean {
  return places.ofClient < places.max - places.taken;
}
