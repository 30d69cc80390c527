import type { mongo } from 'mongoose';
import type { DeliveryState, ResentDeliveries } from '../../contract/schemas/webhooks.js';
import {
  attemptsGranted,
  byAdmin,
  type DeliveryDocument,
  failedStates,
  inTurn,
  retentionMs,
} from './delivery.rules.js';

const storedStates: DeliveryDocument['state'][] = ['pending', 'delivered', ...failedStates];

/** The queries of the collection `deliveries` by which admins read it and send deliveries again. */
export function createDeliveryLogStore(deliveries: mongo.Collection<DeliveryDocument>) {
  return {
    /**
     * The deliveries of a webhook, newest first.
     * @param query.enabled whether the webhook is enabled: pending deliveries of a disabled one are held
     * @param query.before only those older than the delivery of this id
     */
    async page({
      webhookId,
      enabled,
      state,
      before,
      limit,
    }: {
      webhookId: string;
      enabled: boolean;
      state?: DeliveryState | undefined;
      before?: string | undefined;
      limit: number;
    }): Promise<DeliveryDocument[]> {
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
    sendAgain: (webhookId: string, deliveryId: string, nowMs: number): Promise<DeliveryDocument | null> =>
      deliveries.findOneAndUpdate({ _id: deliveryId, webhookId }, [{ $set: sentAgain(nowMs, true) }], {
        returnDocument: 'after',
      }),

    /**
     * Sends again up to `limit` deliveries that were refused or exhausted since `since`, the earliest failure first,
     * except those that such a call has sent again since then. They are held while the webhook is disabled.
     */
    async sendFailedAgain({
      webhookId,
      since,
      limit,
      nowMs,
    }: {
      webhookId: string;
      since: Date;
      limit: number;
      nowMs: number;
    }): Promise<ResentDeliveries> {
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
        [{ $set: { ...sentAgain(nowMs, false), resentInBulkAt: '$$NOW' } }],
        // With the hint, no other index is considered.
        { hint: { _id: 1 } },
      );
      return { resent: modifiedCount, more: found.length > limit };
    },
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
