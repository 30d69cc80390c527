import type { IntentDocument } from './intent-document.js';
import { toFields, toState } from './intent-state.rules.js';
import type { IntentModel } from './store.js';
import { transition } from './transition.rules.js';

const batchSize = 500;
/** Without a transaction there is nothing whose failure could stand. */
const limits = { failureGraceMs: Number.POSITIVE_INFINITY };

/**
 * Expires a batch of an anchor's intents whose time is over and that never had a transaction. They have no event, so
 * each is one write, held against its version like every other; and as anyone can make a great many of them, they are
 * not taken one by one among those that wait to be polled. Returns how many expired, and whether there may be more.
 */
export async function expireUnattached(
  model: IntentModel,
  anchorId: string,
  nowMs: number,
): Promise<{ expired: number; more: boolean }> {
  const intents = await model
    .find({ open: true, anchorId, due: { $lte: new Date(nowMs) }, transactionId: { $exists: false } })
    .sort({ due: 1 })
    .limit(batchSize)
    .lean<IntentDocument[]>();
  const writes = intents.flatMap((intent) => {
    const { _id, version } = intent;
    const state = transition(toState(intent), null, nowMs, limits);
    if (state.ending === null) return [];
    const update = { $set: { ...toFields(state), open: false, unfolded: true }, $inc: { version: 1 } };
    return [{ updateOne: { filter: { _id, version }, update } }];
  });
  if (writes.length === 0) return { expired: 0, more: false };
  const { modifiedCount } = await model.bulkWrite(writes, { ordered: false });
  return { expired: modifiedCount, more: intents.length === batchSize && modifiedCount > 0 };
}
