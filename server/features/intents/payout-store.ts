import type { Connection } from 'mongoose';
import { intentModel } from './store.js';

/** A payout of an intent that counts, as the anchor reported it. */
export interface Payout {
  paidAt: Date;
  /** In stablecoin. */
  amountIn: string;
  /** In the currency of the corridor. */
  amountOut: string;
}

/** The query of the intents collection that observations make: what was paid out, without whose it was. */
export interface PayoutStore {
  /** The newest payouts of an anchor in a corridor since then; disputed ones that do not count are left out. */
  listPayouts(query: { anchorId: string; corridor: string; since: Date; limit: number }): Promise<Payout[]>;
}

export function createPayoutStore(connection: Connection): PayoutStore {
  const model = intentModel(connection);
  return {
    async listPayouts({ anchorId, corridor, since, limit }) {
      const found = await model
        .find(
          { status: 'settled', anchorId, corridor, 'outcome.recordedAt': { $gte: since } },
          { amountIn: 1, outcome: 1, scored: 1, disputeEffect: 1 },
        )
        .sort({ 'outcome.recordedAt': -1 })
        .limit(limit)
        .lean();
      return found.flatMap(({ amountIn, outcome, scored, disputeEffect }) => {
        const amountOut = outcome?.amountOut ?? null;
        if (!scored || disputeEffect !== null || outcome === null || amountIn === null || amountOut === null)
          return [];
        return [{ paidAt: outcome.recordedAt, amountIn, amountOut }];
      });
    },
  };
}
