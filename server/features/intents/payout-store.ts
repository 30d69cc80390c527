import type { Connection } from 'mongoose';
import type { Payout } from '../observations/paid.rules.js';
import { intentModel } from './store.js';

/** The query that observations make on the intents collection: payouts without the accounts that they went to. */
export interface PayoutStore {
  /** The newest payouts of an anchor in a corridor since `since`, without those of intents with an accepted dispute. */
  listPayouts(query: { anchorId: string; corridor: string; since: Date; limit: number }): Promise<Payout[]>;
}

export function createPayoutStore(connection: Connection): PayoutStore {
  const model = intentModel(connection);
  return {
    async listPayouts({ anchorId, corridor, since, limit }) {
      const found = await model
        .find(
          {
            status: 'settled',
            anchorId,
            corridor,
            'outcome.recordedAt': { $gte: since },
            scored: true,
            disputeEffect: null,
            amountIn: { $ne: null },
            'outcome.amountOut': { $ne: null },
          },
          { amountIn: 1, outcome: 1 },
        )
        .sort({ 'outcome.recordedAt': -1 })
        .limit(limit)
        .lean();
      return found.flatMap(({ amountIn, outcome }) => {
        const amountOut = outcome?.amountOut ?? null;
        if (outcome === null || amountIn === null || amountOut === null) return [];
        return [{ paidAt: outcome.recordedAt, amountIn, amountOut }];
      });
    },
  };
}
