import type { Connection } from 'mongoose';
import type { Intent } from './intent.js';
import { type IntentDocument, intentModel, toIntent } from './store.js';

/** The queries about payments that are to be looked up on the ledger. */
export interface LookUpStore {
  /** Claims the intent whose look-up has been due longest, by moving the next one to `nextDue`; null where none is due. */
  claimDue(now: Date, nextDue: Date): Promise<Intent | null>;
  /** Number of the anchor's intents, registered in the 90 days before `now`, whose named payment the ledger contradicts. */
  countContradicted(anchorId: string, now: Date): Promise<number>;
}

const countedForMs = 90 * 86_400_000;
const mostCounted = 10_000;

export function createLookUpStore(connection: Connection): LookUpStore {
  const model = intentModel(connection);

  return {
    async claimDue(now, nextDue) {
      const claimed = await model
        .findOneAndUpdate({ lookUpDue: { $lte: now, $type: 'date' } }, { $set: { lookUpDue: nextDue } })
        .sort({ lookUpDue: 1 })
        .hint('payments_to_look_up')
        .lean<IntentDocument>();
      return toIntent(claimed);
    },

    countContradicted: (anchorId, now) => {
      const since = { $gte: new Date(now.getTime() - countedForMs) };
      const contradicted = { anchorId, createdAt: since, contradicted: true };
      return model.countDocuments(contradicted, { hint: 'contradicted', limit: mostCounted }).exec();
    },
  };
}
