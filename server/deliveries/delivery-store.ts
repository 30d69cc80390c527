import { type Connection, mongo, Schema } from 'mongoose';
import type { DeliveryState, ResentDeliveries } from '../../contract/schemas/webhooks.js';
import { retriedOnce } from '../mongo/failures.js';
import { countUpTo, defineModel } from '../mongo/models.js';
import {
  type FinishedAttempt,
  freshClaim,
  handedBack,
  lapsedClaim,
  recordsOfEqualOutcome,
  sentAgain,
  sentAgainInBulk,
} from './claims.rules.js';
import {
  type Claimed,
  type DeliveryDocument,
  type DeliveryQuery,
  queueKey,
  readQueueKey,
} from './delivery.rules.js';

/** Every query of the collection `deliveries`. Conditions on the present time use the time of the database. */
export interface DeliveryStore {
  /** Adds deliveries, except those whose event and webhook already have one, and returns the ids of these exceptions. */
  add(deliveries: readonly DeliveryDocument[]): Promise<Set<string>>;
  /** The keys of the queues with due deliveries, including retries and claims that expired without a record. */
  dueQueues(): Promise<string[]>;
  /**
   * Claims up to `limit` due deliveries of a queue, the longest due first. `exhausted` counts deliveries that ended
   * instead, because their last attempt was never recorded (in rare races two instances count the same one); `more`:
   * there may be more due deliveries.
   */
  claim(claim: { queue: string; limit: number; owner: string; claimMs: number }): Promise<{
    claimed: Claimed[];
    exhausted: number;
    more: boolean;
  }>;
  /** Hands back claims whose attempt did not begin. */
  handBack(deliveries: readonly Claimed[]): Promise<void>;
  /** Records attempts; a delivery whose claim was lost meanwhile is left as it is. Returns how many this changed. */
  record(attempts: readonly FinishedAttempt[]): Promise<number>;
  /** The webhooks that have deliveries, whatever became of them. */
  webhookIds(): Promise<string[]>;
  /** Deletes up to 1,000 deliveries of a webhook that was deleted; false while there are more. */
  dropSome(webhookId: string): Promise<boolean>;
  /** Newest first. */
  page(query: DeliveryQuery): Promise<DeliveryDocument[]>;
  /** Returns the updated delivery; null if the webhook has no delivery with this id. */
  sendAgain(webhookId: string, deliveryId: string, nowMs: number): Promise<DeliveryDocument | null>;
  /**
   * Sends again the deliveries that were refused or exhausted since `since`, the earliest failure first, except those
   * that such a call has sent again since then.
   */
  sendFailedAgain(failed: {
    webhookId: string;
    since: Date;
    limit: number;
    nowMs: number;
  }): Promise<ResentDeliveries>;
  /** Deliveries that have not ended, held ones included; 100,000 at most. */
  countOpen(): Promise<number>;
  /** Deliveries that could be sent now; 100,000 at most. `enabledAmong` gives the webhooks that are not disabled. */
  countDue(enabledAmong: (webhookIds: string[]) => Promise<string[]>): Promise<number>;
}

const insertsAtOnce = 1_000;
const dropsAtOnce = 1_000;
const duplicateKey = 11_000;
const storedStates: DeliveryDocument['state'][] = ['pending', 'delivered', 'refused', 'exhausted'];
const failedStates: DeliveryDocument['state'][] = ['refused', 'exhausted'];
const isDue = { $expr: { $lte: ['$due', '$$NOW'] } };
const claimedFields = {
  webhookId: 1,
  eventId: 1,
  event: 1,
  test: 1,
  body: 1,
  state: 1,
  owner: 1,
  attempt: 1,
  lastAttempt: 1,
};
type ClaimedFields = Pick<DeliveryDocument, '_id' | keyof typeof claimedFields>;
/** `now`: the time of the database when the delivery was read. */
type Due = ClaimedFields & { now: Date };
/** For queries by id, so that no other index is considered. */
const idIndex = { _id: 1 } as const;

const deliverySchema = new Schema<DeliveryDocument>(
  {
    _id: { type: String, required: true },
    webhookId: { type: String, required: true },
    eventId: { type: String, required: true },
    event: { type: String, required: true },
    test: { type: Boolean, required: true },
    body: { type: String, required: true },
    state: { type: String, required: true },
    open: { type: Boolean, required: true },
    lane: { type: String, required: true },
    due: { type: Date, required: true },
    owner: { type: String, default: null },
    claimedAt: { type: Date, default: null },
    attempt: { type: Number, required: true },
    lastAttempt: { type: Number, required: true },
    attempts: { type: [Schema.Types.Mixed] as never, required: true },
    createdAt: { type: Date, required: true },
    settledAt: { type: Date, default: null },
    resentInBulkAt: Date,
    expiresAt: { type: Date, required: true },
  },
  { collection: 'deliveries', versionKey: false },
);
deliverySchema.index({ eventId: 1, webhookId: 1 }, { unique: true, name: 'one_a_webhook' });
// Deliveries that have ended leave this index, so it holds only open ones.
deliverySchema.index(
  { open: 1, lane: 1, due: 1 },
  { partialFilterExpression: { open: true }, name: 'work_by_lane' },
);
// A query without a state reads all states from this index and merges them in order.
deliverySchema.index({ webhookId: 1, state: 1, _id: -1 }, { name: 'by_state' });
// Holds only failed deliveries, so that an acknowledged delivery never enters it.
deliverySchema.index(
  { webhookId: 1, settledAt: 1 },
  { partialFilterExpression: { state: { $in: failedStates } }, name: 'failed_since' },
);
deliverySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'retention' });

export function createDeliveryStore(connection: Connection): DeliveryStore {
  const model = defineModel(connection, 'Delivery', deliverySchema);
  // Bypasses mongoose, which would check and convert every one of many documents.
  const deliveries = model.collection as unknown as mongo.Collection<DeliveryDocument>;

  /** The sort and `$first` make MongoDB read one index key per queue, however long the queues are. */
  async function firstDue(): Promise<{ _id: string; now: Date }[]> {
    return deliveries
      .aggregate<{ _id: string; now: Date }>(
        [
          { $match: { open: true } },
          { $sort: { open: 1, lane: 1, due: 1 } },
          { $group: { _id: '$lane', due: { $first: '$due' } } },
          { $match: isDue },
          { $project: { now: '$$NOW' } },
        ],
        { hint: 'work_by_lane' },
      )
      .toArray();
  }

  /**
   * The update checks each delivery again: of several instances that found it, one claims it. A delivery that matches
   * has not changed since it was read, because every change moves its due time past that moment. So it is read again
   * only if another instance was first.
   */
  async function claimFresh(due: readonly Due[], owner: string, claimMs: number): Promise<ClaimedFields[]> {
    const now = due[0]?.now;
    if (now === undefined) return [];
    const ids = due.map(({ _id }) => _id);
    const { matchedCount } = await deliveries.updateMany(
      { _id: { $in: ids }, open: true, owner: null, due: { $lte: now } },
      freshClaim(owner, now, claimMs),
      { hint: idIndex },
    );
    if (matchedCount < due.length) return readAgain(ids);
    return due.map((delivery) => ({ ...delivery, owner, attempt: delivery.attempt + 1 }));
  }

  /** Claims deliveries whose last claim expired without a record. */
  async function claimLapsed(due: readonly Due[], owner: string, claimMs: number): Promise<ClaimedFields[]> {
    if (due.length === 0) return [];
    const ids = due.map(({ _id }) => _id);
    await deliveries.updateMany(
      { _id: { $in: ids }, open: true, owner: { $ne: null }, ...isDue },
      [{ $set: lapsedClaim(owner, claimMs) }],
      { hint: idIndex },
    );
    return readAgain(ids);
  }

  /** Returns the deliveries in the order of the ids. */
  async function readAgain(ids: string[]): Promise<ClaimedFields[]> {
    const found = await deliveries
      .find({ _id: { $in: ids } })
      .project<ClaimedFields>(claimedFields)
      .toArray();
    const byId = new Map(found.map((delivery) => [delivery._id, delivery]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  return {
    async add(documents) {
      const known = new Set<string>();
      for (let from = 0; from < documents.length; from += insertsAtOnce) {
        const some = documents.slice(from, from + insertsAtOnce);
        try {
          await deliveries.insertMany(some, { ordered: false });
        } catch (error) {
          if (!onlyDuplicates(error)) throw error;
          for (const { index } of [error.writeErrors].flat()) known.add(some[index]?._id ?? '');
        }
      }
      return known;
    },

    dueQueues: async () => (await firstDue()).map(({ _id }) => _id).sort(),

    async claim({ queue, limit, owner, claimMs }) {
      const due = await deliveries
        .find({ open: true, lane: queue, ...isDue })
        .project<Due>({ ...claimedFields, now: { $add: ['$$NOW', 0] } })
        .sort({ due: 1 })
        .limit(limit)
        .toArray();
      const lapsed = await claimLapsed(
        due.filter((delivery) => delivery.owner !== null),
        owner,
        claimMs,
      );
      const fresh = await claimFresh(
        due.filter((delivery) => delivery.owner === null),
        owner,
        claimMs,
      );
      const ours = [...lapsed, ...fresh].filter((delivery) => delivery.owner === owner);
      return {
        claimed: ours.map((delivery) => ({ ...delivery, owner })),
        exhausted: lapsed.filter(({ state }) => state === 'exhausted').length,
        more: due.length === limit,
      };
    },

    async handBack(claimed) {
      if (claimed.length === 0) return;
      await deliveries.bulkWrite(
        claimed.map((delivery) => ({
          updateOne: { filter: whileOurs(delivery), update: [{ $set: handedBack }] },
        })),
        { ordered: false },
      );
    },

    async record(attempts) {
      const operations = recordsOfEqualOutcome(attempts).map((update) => ({
        updateMany: { ...update, hint: idIndex },
      }));
      // Deliveries that are already recorded no longer match, so the write may be repeated.
      const { matchedCount } = await retriedOnce(() => deliveries.bulkWrite(operations, { ordered: false }));
      return matchedCount;
    },

    webhookIds: () => deliveries.distinct('webhookId'),

    async dropSome(webhookId) {
      const found = await deliveries
        .find({ webhookId }, { projection: { _id: 1 } })
        .limit(dropsAtOnce)
        .toArray();
      await deliveries.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      return found.length < dropsAtOnce;
    },

    async page({ webhookId, enabled, state, before, limit }) {
      // An enabled webhook has no held deliveries, and to find none the database would read its whole backlog.
      if (state === 'held' && enabled) return [];
      const { filter, hint } = inState(webhookId, enabled, state);
      return deliveries
        .find({ ...filter, ...(before === undefined ? {} : { _id: { $lt: before } }) }, { hint })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray();
    },

    sendAgain: (webhookId, deliveryId, nowMs) =>
      deliveries.findOneAndUpdate({ _id: deliveryId, webhookId }, [{ $set: sentAgain(webhookId, nowMs) }], {
        returnDocument: 'after',
      }),

    async sendFailedAgain({ webhookId, since, limit, nowMs }) {
      const failed = {
        webhookId,
        state: { $in: failedStates },
        settledAt: { $gte: since },
        test: false,
        resentInBulkAt: { $not: { $gte: since } },
      };
      const found = await deliveries
        .find(failed, { projection: { _id: 1 } })
        .hint('failed_since')
        .sort({ settledAt: 1 })
        .limit(limit + 1)
        .toArray();
      const ids = found.slice(0, limit).map(({ _id }) => _id);
      // The filter repeats the conditions, so that two concurrent calls send each delivery once.
      const { modifiedCount } = await deliveries.updateMany(
        { _id: { $in: ids }, ...failed },
        [{ $set: sentAgainInBulk(webhookId, nowMs) }],
        { hint: idIndex },
      );
      return { resent: modifiedCount, more: found.length > limit };
    },

    countOpen: () => countUpTo(model, { open: true }, 'work_by_lane'),

    async countDue(enabledAmong) {
      const queues = (await firstDue()).map(({ _id, now }) => ({ key: _id, now, ...readQueueKey(_id) }));
      const [first] = queues;
      if (first === undefined) return 0;
      const enabled = new Set(await enabledAmong(queues.map(({ webhookId }) => webhookId)));
      const sendable = queues.filter(
        ({ priority, webhookId }) => priority === 'admin' || enabled.has(webhookId),
      );
      const keys = sendable.map(({ key }) => key);
      // `now` is a plain time: an expression would be evaluated and compared document by document.
      return countUpTo(model, { open: true, lane: { $in: keys }, due: { $lte: first.now } }, 'work_by_lane');
    },
  };
}

/** Matches only while this claim is valid. */
function whileOurs({ _id, owner, attempt }: Pick<Claimed, '_id' | 'owner' | 'attempt'>) {
  return { _id, open: true, owner, attempt };
}

/** `pending` and `held` are one stored state: the webhook and the queue distinguish them. */
function inState(webhookId: string, enabled: boolean, state: DeliveryState | undefined) {
  // What an admin sends to a disabled webhook is a few deliveries in a queue of their own, beside any number of held ones.
  if (state === 'pending' && !enabled)
    return { filter: { open: true, lane: queueKey(webhookId, 'admin') }, hint: 'work_by_lane' };
  const hint = 'by_state';
  if (state === undefined) return { filter: { webhookId, state: { $in: storedStates } }, hint };
  if (state !== 'held') return { filter: { webhookId, state }, hint };
  return { filter: { webhookId, state: 'pending' as const, lane: queueKey(webhookId, 'normal') }, hint };
}

function onlyDuplicates(error: unknown): error is mongo.MongoBulkWriteError {
  if (!(error instanceof mongo.MongoBulkWriteError)) return false;
  const faults = [error.writeErrors].flat();
  return (
    faults.length > 0 &&
    faults.every(({ code }) => code === duplicateKey) &&
    error.result.getWriteConcernError() === undefined
  );
}
