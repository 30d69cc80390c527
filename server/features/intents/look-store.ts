import type { Connection } from 'mongoose';
import type { Intent } from './intent.js';
import type { LookQueue, PolledQueue, Waiting } from './look-queue.rules.js';
import { type IntentDocument, intentModel, toIntent } from './store.js';

/** The queries that select the open intents to check. */
export interface LookStore {
  /** Anchors with open intents that are due. */
  listAnchorsWithDue(now: Date): Promise<string[]>;
  /** Sets the queue of the anchor's due intents that were stored before queues existed. */
  enqueueOld(anchorId: string, now: Date): Promise<void>;
  /**
   * The next client after the given one (null: the first), by the order of their hashes and starting over at the end, that
   * has due intents in the queue, and up to 50 of these, longest due first; undefined where the queue has none.
   */
  findTurn(turn: {
    anchorId: string;
    queue: PolledQueue;
    after: string | null;
    now: Date;
  }): Promise<{ client: string | null; waiting: Waiting[] } | undefined>;
  /** Claims a due intent by moving its next look to `nextDue`; null where the intent is not due any more. */
  claimLook(intentHash: string, now: Date, nextDue: Date): Promise<Intent | null>;
  /** The anchor's due intents that are not polled: those without a transaction, and those whose id was given up. */
  findDueUnpolled(anchorId: string, now: Date, limit: number): Promise<Intent[]>;
}

/** Most intents that are read of one client; their accounts decide which one is served. */
const waitingAtOnce = 50;
const unpolled: LookQueue[] = ['unattached', 'given_up'];

export function createLookStore(connection: Connection): LookStore {
  const model = intentModel(connection);

  return {
    /** The sort and `$first` make MongoDB read one index key per anchor, however many intents are due. */
    async listAnchorsWithDue(now) {
      const first = await model
        .aggregate<{ _id: string; due: Date }>([
          { $match: { open: true } },
          { $sort: { open: 1, anchorId: 1, due: 1 } },
          { $group: { _id: '$anchorId', due: { $first: '$due' } } },
        ])
        .hint('open_by_anchor');
      return first.filter(({ due }) => due <= now).map(({ _id }) => _id);
    },

    async enqueueOld(anchorId, now) {
      const isNull = (field: string) => ({ $eq: [{ $ifNull: [field, null] }, null] });
      const seen = { $cond: [isNull('$sightings.fundedAtMs'), 'known', 'paid'] };
      const attached = { $cond: [isNull('$sightings.firstAtMs'), 'new', seen] };
      const queue = { $cond: [isNull('$transactionId'), 'unattached', attached] };
      const old = { anchorId, lookQueue: null, ...dueAt(now) };
      // There is none once every stored intent has a queue.
      if ((await model.exists(old).hint('open_by_look_queue')) === null) return;
      await model.updateMany(old, [{ $set: { lookQueue: queue } }]);
    },

    async findTurn({ anchorId, queue, after, now }) {
      const due = { anchorId, lookQueue: queue, ...dueAt(now) };
      const find = (filter: object) =>
        model
          .find(filter, { account: 1, client: 1 })
          .sort({ client: 1, due: 1 })
          .limit(waitingAtOnce)
          .hint('open_by_look_queue')
          .lean<(Waiting & { client?: string | null })[]>();
      const following = after === null ? [] : await find({ ...due, client: { $gt: after } });
      const found = following.length > 0 ? following : await find(due);
      const [first] = found;
      if (first === undefined) return undefined;
      const client = first.client ?? null;
      return { client, waiting: found.filter((each) => (each.client ?? null) === client) };
    },

    async claimLook(_id, now, nextDue) {
      const claimed = await model
        .findOneAndUpdate({ _id, ...dueAt(now) }, { $set: { due: nextDue } })
        .lean<IntentDocument>();
      return toIntent(claimed);
    },

    async findDueUnpolled(anchorId, now, limit) {
      const found = await model
        .find({ anchorId, lookQueue: { $in: unpolled }, ...dueAt(now) })
        .limit(limit)
        .hint('open_by_look_queue')
        .lean<IntentDocument[]>();
      return found.map((document) => toIntent(document));
    },
  };
}

function dueAt(now: Date) {
  return { open: true, due: { $lte: now } };
}
