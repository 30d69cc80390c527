import type { Connection } from 'mongoose';
import type { Intent } from './intent.js';
import type { LookQueue, PolledQueue, Waiting } from './look-queue.rules.js';
import { type IntentDocument, intentModel, toIntent } from './store.js';

/** The queries by which open intents get their turn. */
export interface LookStore {
  /** Anchors with open intents that are due. */
  listAnchorsWithDue(now: Date): Promise<string[]>;
  /** Puts the anchor's intents that are due and were stored before there were queues into theirs. */
  enqueueOld(anchorId: string, now: Date): Promise<void>;
  /**
   * The next client in the order of their hashes that has due intents in the queue, after the one given (null: from the
   * start), and its intents, longest due first; undefined where the queue has none. Some only, where there are many.
   */
  findTurn(turn: {
    anchorId: string;
    queue: PolledQueue;
    after: string | null;
    now: Date;
  }): Promise<{ client: string | null; waiting: Waiting[] } | undefined>;
  /** Puts the next look at a due intent off; null where somebody else came first. */
  claimLook(intentHash: string, now: Date, nextDue: Date): Promise<Intent | null>;
  /** The anchor's due intents that are not polled: those without a transaction, and those whose id was given up. */
  findDueUnpolled(anchorId: string, now: Date, limit: number): Promise<Intent[]>;
}

/** Of one client; which of them is served is decided by their accounts. */
const waitingAtOnce = 50;
const unpolled: LookQueue[] = ['unattached', 'given_up'];

export function createLookStore(connection: Connection): LookStore {
  const model = intentModel(connection);

  return {
    /** Of each anchor one key of the index is read, however many are due, thanks to the sort and `$first`. */
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
      // None once everything was written by this release.
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
