import { type Connection, mongo } from 'mongoose';
import { insideBulk, isDuplicateKey, isMongoUnavailable, writeErrorsOf } from '../mongo/failures.js';
import { countUpTo, defineModel, typedSchema } from '../mongo/models.js';
import {
  byAdmin,
  type Claimed,
  type DeliveryDocument,
  type FinishedAttempt,
  failedStates,
  inTurn,
  lastOf,
} from './delivery.rules.js';
import { createDeliveryLogStore } from './delivery-log-store.js';

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

const insertsAtOnce = 1_000;
const dropsAtOnce = 1_000;
/** How many POSTs are stored with a delivery: those of five grants, if no secret was being replaced. */
const maxAttemptsKept = 20;
/** By the time of the database, so that no instance ends the claims of another because its own clock is wrong. */
const isDue = { $expr: { $lte: ['$due', '$$NOW'] } };
/** For updates by id, so that no other index is considered. */
const idIndex = { _id: 1 } as const;

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
  // Bypasses mongoose, which would check and convert every one of many documents.
  const deliveries = model.collection as unknown as mongo.Collection<DeliveryDocument>;

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
    ...createDeliveryLogStore(deliveries),

    /** Adds deliveries, except those whose event and webhook already have one. */
    async add(documents: readonly DeliveryDocument[]): Promise<void> {
      for (let from = 0; from < documents.length; from += insertsAtOnce) {
        const some = documents.slice(from, from + insertsAtOnce);
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
     * Claims due deliveries that nobody owns, each by one atomic update that counts its attempt: of several instances
     * that have read a delivery, one gets it. Returns those that are ours.
     * @param owner a fresh token for each call
     */
    async claim(due: readonly DeliveryDocument[], owner: string, claimMs: number): Promise<Claimed[]> {
      if (due.length === 0) return [];
      const ids = due.map(({ _id }) => _id);
      const claimed = {
        owner,
        claimedAt: '$$NOW',
        due: { $add: ['$$NOW', claimMs] },
        attempt: { $add: ['$attempt', 1] },
      };
      const { matchedCount } = await deliveries.updateMany(
        { _id: { $in: ids }, state: 'pending', owner: null, ...isDue },
        [{ $set: claimed }],
        { hint: idIndex },
      );
      if (matchedCount === due.length)
        return due.map((delivery) => ({ ...delivery, owner, attempt: delivery.attempt + 1 }));
      return (await deliveries.find({ _id: { $in: ids }, owner }).toArray()) as Claimed[];
    },

    /**
     * Ends claims that expired without a record: each counts as an attempt of unknown outcome, after which the delivery
     * is due again, or exhausted if it was the last attempt granted. Returns how many were exhausted.
     */
    async endLapsed(lapsed: readonly DeliveryDocument[]): Promise<number> {
      const ids = lapsed.map(({ _id }) => _id);
      const exhausted = { $gte: ['$attempt', '$lastAttempt'] };
      const unknown = {
        attempt: '$attempt',
        at: '$claimedAt',
        outcome: 'unknown',
        status: null,
        elapsedMs: null,
        answer: null,
        signedWith: null,
      };
      const ended = {
        attempts: withPosts([unknown]),
        owner: null,
        claimedAt: null,
        state: { $cond: [exhausted, 'exhausted', '$state'] },
        settledAt: { $cond: [exhausted, '$$NOW', null] },
      };
      await deliveries.updateMany(
        { _id: { $in: ids }, state: 'pending', owner: { $ne: null }, ...isDue },
        [{ $set: ended }],
        { hint: idIndex },
      );
      return lapsed.filter(({ attempt, lastAttempt }) => attempt >= lastAttempt).length;
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
          hint: idIndex,
        },
      }));
      await retriedOnce(() => deliveries.bulkWrite(operations, { ordered: false }));
    },

    /** Deletes the deliveries of a webhook, a portion at a time, since there may be any number. */
    async dropOf(webhookId: string): Promise<void> {
      for (let found: { _id: string }[] = []; ; ) {
        found = await deliveries
          .find({ webhookId }, { projection: { _id: 1 } })
          .limit(dropsAtOnce)
          .toArray();
        if (found.length === 0) return;
        await deliveries.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      }
    },

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

function endOf({ at, elapsedMs }: { at: Date; elapsedMs: number | null }): Date {
  return new Date(at.getTime() + (elapsedMs ?? 0));
}

/** @param posts an array, or an expression for one */
function withPosts(posts: object): object {
  return { $slice: [{ $concatArrays: ['$attempts', posts] }, -maxAttemptsKept] };
}

/**
 * Does a write that may be done twice, and repeats it once if the connection or the primary was lost during it. The
 * driver (6.20) does so by itself, but not for updates and deletions of many documents.
 */
async function retriedOnce<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    // After a time-out there is no time left.
    const late = insideBulk(error) instanceof mongo.MongoOperationTimeoutError;
    if (late || !isMongoUnavailable(error)) throw error;
    return write();
  }
}
