import type { Connection, mongo } from 'mongoose';
import type { DeliveryState, ResentDeliveries } from '../../contract/schemas/webhooks.js';
import { isDuplicateKey, writeErrorsOf } from '../mongo/failures.js';
import { collectionOf, countUpTo, defineModel, typedSchema } from '../mongo/models.js';
import {
  attemptsGranted,
  byAdmin,
  type Claimed,
  type DeliveryDocument,
  type FinishedAttempt,
  failedStates,
  inTurn,
  lastOf,
  retentionMs,
} from './delivery.rules.js';

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

const writesAtOnce = 1_000;
const dropTimeoutMs = 600_000;
/** How many POSTs are stored with a delivery: those of five grants, if no secret was being replaced. */
const maxAttemptsKept = 20;
/** By the time of the database, so that no instance ends the claims of another because its own clock is wrong. */
const isDue = { $expr: { $lte: ['$due', '$$NOW'] } };
/** For updates by id, so that no other index is considered. */
const hintId = { hint: { _id: 1 } } as const;

const deliverySchema = typedSchema<DeliveryDocument>('deliveries');
deliverySchema.index({ eventId: 1, webhookId: 1 }, { unique: true, name: 'one_a_webhook' });
// Deliveries that have ended leave this index. Its members are in the order in which `dueWebhooks` skips through it.
deliverySchema.index(
  { state: 1, byAdmin: 1, webhookId: 1, due: 1 },
  { partialFilterExpression: { state: 'pending' }, name: 'work' },
);
// A query without a state reads all states from this index and merges them in order.
deliverySchema.index({ webhookId: 1, state: 1, _id: -1 }, { name: 'by_state' });
deliverySchema.index(
  { webhookId: 1, settledAt: 1 },
  { partialFilterExpression: { state: { $in: failedStates } }, name: 'failed_since' },
);
deliverySchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0, name: 'retention' });

/** Every query of the collection `deliveries`. */
export function createDeliveryStore(connection: Connection) {
  const model = defineModel(connection, 'Delivery', deliverySchema);
  const deliveries = collectionOf(connection, 'Delivery', deliverySchema);

  function readDue(filter: mongo.Filter<DeliveryDocument>, limit: number): Promise<DeliveryDocument[]> {
    return deliveries
      .find({ ...filter, ...isDue }, { hint: 'work' })
      .sort({ due: 1 })
      .limit(limit)
      .toArray();
  }

  /** The webhooks that have due deliveries, those of an admin left out; held ones and lapsed claims included. */
  async function dueWebhooks(): Promise<string[]> {
    // The sort and `$first` make MongoDB read one index key per webhook, however many deliveries it has.
    const found = await deliveries
      .aggregate<{ _id: string }>(
        [
          { $match: inTurn },
          { $sort: { state: 1, byAdmin: 1, webhookId: 1, due: 1 } },
          { $group: { _id: '$webhookId', due: { $first: '$due' } } },
          { $match: isDue },
        ],
        { hint: 'work' },
      )
      .toArray();
    return found.map(({ _id }) => _id);
  }

  return {
    /** Adds deliveries, except those whose event and webhook already have one. */
    async add(documents: readonly DeliveryDocument[]): Promise<void> {
      for (let from = 0; from < documents.length; from += writesAtOnce) {
        const some = documents.slice(from, from + writesAtOnce);
        const refused = await writeErrorsOf(() => deliveries.insertMany(some, { ordered: false }));
        for (const error of refused.values()) if (!isDuplicateKey(error)) throw error;
      }
    },

    dueWebhooks,

    /** The due deliveries of a webhook, the longest due first, lapsed claims among them. */
    due: (webhookId: string, limit: number) => readDue({ ...inTurn, webhookId }, limit),

    /** The due tests and deliveries that an admin sends again, of all webhooks. */
    dueOfAdmins: (limit: number) => readDue(byAdmin, limit),

    /**
     * Claims due deliveries, each by one atomic update that counts its attempt: of several instances that have read a
     * delivery, one gets it. A claim that expired without a record was an attempt of unknown outcome; where it was the last
     * one granted, the delivery is exhausted instead. Returns those that are ours, by id.
     * @param owner a fresh token for each call
     */
    async claim(
      due: readonly DeliveryDocument[],
      owner: string,
      claimMs: number,
    ): Promise<Map<string, Claimed>> {
      if (due.length === 0) return new Map();
      const ids = due.map(({ _id }) => _id);
      const filter = { _id: { $in: ids }, state: 'pending', ...isDue } as const;
      const { matchedCount } = await deliveries.updateMany(
        filter,
        [{ $set: claimed(owner, claimMs) }],
        hintId,
      );
      const isPlain = matchedCount === due.length && due.every((delivery) => delivery.owner === null);
      const ours = isPlain
        ? due.map((delivery) => ({ ...delivery, owner, attempt: delivery.attempt + 1 }))
        : ((await deliveries.find({ _id: { $in: ids }, owner }).toArray()) as Claimed[]);
      return new Map(ours.map((delivery) => [delivery._id, delivery]));
    },

    /** Stores attempts; a delivery whose claim was lost meanwhile, or is recorded already, is left as it is. */
    async record(attempts: readonly FinishedAttempt[]): Promise<void> {
      const operations = attempts.map(({ delivery, posts, after, delayMs }) => ({
        updateMany: {
          filter: { _id: delivery._id, owner: delivery.owner, attempt: delivery.attempt },
          update: [
            {
              $set: {
                owner: null,
                claimedAt: null,
                // A literal: an answer may begin with a dollar sign, which would make it an expression.
                attempts: withPosts({ $literal: posts }),
                ...(after.state === 'pending'
                  ? { due: { $add: ['$$NOW', delayMs] } }
                  : { state: after.state, settledAt: endOf(lastOf(posts)) }),
              },
            },
          ],
          ...hintId,
        },
      }));
      await deliveries.bulkWrite(operations, { ordered: false });
    },

    /**
     * The deliveries of a webhook, newest first, from the one before `before` on.
     * @param enabled whether the webhook is enabled: pending deliveries of a disabled one are held
     */
    async page(
      webhookId: string,
      enabled: boolean,
      state: DeliveryState | undefined,
      before: string | undefined,
      limit: number,
    ): Promise<DeliveryDocument[]> {
      // An enabled webhook has no held deliveries, and to find none the database would read its whole backlog.
      if (state === 'held' && enabled) return [];
      const { filter, hint } = inState(enabled, state);
      return deliveries
        .find({ webhookId, ...filter, ...(before === undefined ? {} : { _id: { $lt: before } }) }, { hint })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray();
    },

    /**
     * Makes a delivery due now, to be sent as one of an admin. If it had ended, or its attempts are used up, it gets four
     * more. If it is being sent, only its retries are changed. Null if the webhook has no delivery with this id.
     */
    sendAgain: (webhookId: string, _id: string, nowMs: number): Promise<DeliveryDocument | null> =>
      deliveries.findOneAndUpdate({ _id, webhookId }, [{ $set: sentAgain(nowMs, true) }], {
        returnDocument: 'after',
      }),

    /**
     * Sends again up to `limit` deliveries that were refused or exhausted since `since`, the earliest failure first,
     * except those that such a call has sent again since then. They are held while the webhook is disabled.
     */
    async sendFailedAgain(
      webhookId: string,
      since: Date,
      limit: number,
      nowMs: number,
    ): Promise<ResentDeliveries> {
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
      const again = { ...sentAgain(nowMs, false), resentInBulkAt: '$$NOW' };
      const filter = { _id: { $in: ids }, ...failed };
      const { modifiedCount } = await deliveries.updateMany(filter, [{ $set: again }], hintId);
      return { resent: modifiedCount, more: found.length > limit };
    },

    /** Deletes the deliveries of a webhook, of which there may be any number. */
    dropOf: (webhookId: string) => deliveries.deleteMany({ webhookId }, { timeoutMS: dropTimeoutMs }),

    /** Deliveries that have not ended, held ones included; 100,000 at most. */
    countOpen: () => countUpTo(model, { state: 'pending' }, 'work'),

    /**
     * Deliveries that could be sent now; 100,000 at most.
     * @param enabledAmong returns those of these webhooks that are not disabled
     */
    async countDue(now: Date, enabledAmong: (webhookIds: string[]) => Promise<string[]>): Promise<number> {
      const webhookId = { $in: await enabledAmong(await dueWebhooks()) };
      const due = { $lte: now };
      const counted = await Promise.all([
        countUpTo(model, { ...inTurn, webhookId, due }, 'work'),
        countUpTo(model, { ...byAdmin, due }, 'work'),
      ]);
      return counted[0] + counted[1];
    },
  };
}

/** What a claim changes. */
function claimed(owner: string, claimMs: number): Record<string, unknown> {
  const lapsed = { $ne: ['$owner', null] };
  const exhausted = { $and: [lapsed, { $gte: ['$attempt', '$lastAttempt'] }] };
  const unknown = {
    attempt: '$attempt',
    at: '$claimedAt',
    outcome: 'unknown',
    status: null,
    elapsedMs: null,
    answer: null,
    signedWith: null,
  };
  return {
    attempts: { $cond: [lapsed, withPosts([unknown]), '$attempts'] },
    state: { $cond: [exhausted, 'exhausted', 'pending'] },
    settledAt: { $cond: [exhausted, '$$NOW', null] },
    owner: { $cond: [exhausted, null, owner] },
    claimedAt: { $cond: [exhausted, null, '$$NOW'] },
    due: { $add: ['$$NOW', claimMs] },
    attempt: { $cond: [exhausted, '$attempt', { $add: ['$attempt', 1] }] },
  };
}

/** `pending` and `held` are one stored state: the webhook, and who sends the delivery, tell them apart. */
function inState(enabled: boolean, state: DeliveryState | undefined) {
  const hint = 'by_state';
  // What an admin sends to a disabled webhook is a few deliveries beside any number of held ones.
  if (state === 'pending' && !enabled) return { filter: byAdmin, hint: 'work' };
  if (state === undefined) return { filter: { state: { $in: storedStates } }, hint };
  return state === 'held' ? { filter: inTurn, hint } : { filter: { state }, hint };
}

const storedStates: DeliveryDocument['state'][] = ['pending', 'delivered', ...failedStates];

function sentAgain(nowMs: number, asAdmin: boolean): Record<string, unknown> {
  const beingSent = { $and: [{ $ne: ['$owner', null] }, { $gt: ['$due', '$$NOW'] }] };
  // Its last attempt was made, or was lost with the process that claimed it: without more it would end as exhausted.
  const usedUp = { $and: [{ $not: [beingSent] }, { $gte: ['$attempt', '$lastAttempt'] }] };
  const ended = { $or: [{ $ne: ['$state', 'pending'] }, usedUp] };
  return {
    lastAttempt: { $cond: [ended, { $add: ['$attempt', attemptsGranted] }, '$lastAttempt'] },
    state: 'pending',
    settledAt: null,
    byAdmin: asAdmin,
    due: { $cond: [beingSent, '$due', '$$NOW'] },
    expiresAt: new Date(nowMs + retentionMs),
  };
}

function endOf({ at, elapsedMs }: { at: Date; elapsedMs: number | null }): Date {
  return new Date(at.getTime() + (elapsedMs ?? 0));
}

/** @param posts an array, or an expression for one */
function withPosts(posts: object): object {
  return { $slice: [{ $concatArrays: ['$attempts', posts] }, -maxAttemptsKept] };
}
