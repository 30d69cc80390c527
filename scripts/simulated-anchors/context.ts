import type { Clock, Random } from '../../server/ports.js';
import { corridorById, currencyOf, payoutPlacesOf, type SimulatedCorridor } from './corridors.js';
import type { SimulatedKey } from './keys.js';
import type { PriceTerms } from './pricing.js';
import { anchorRate, marketRate } from './rates.js';
import type { AnchorDefinition, Temper } from './types.js';

/** What the protocol files of one anchor share. */
export interface AnchorContext {
  definition: AnchorDefinition;
  /** Its temper now: tests change it. */
  temper(): Temper;
  /** `http://127.0.0.1:…`, known once it listens. */
  origin(): string;
  clock: Clock;
  random: Random;
  seed: string;
  /** Multiplies every settlement time: 1 is the temper's own. */
  pace: number;
  signingKey: SimulatedKey;
  /** The account withdrawals are paid to. */
  receivingAccount: string;
  partnerToken: string | null;
}

/** A corridor this anchor serves, with its delivery methods. */
export interface ServedCorridor {
  corridor: SimulatedCorridor;
  deliveryMethods: readonly string[];
}

export function servedCorridors(context: AnchorContext): ServedCorridor[] {
  return context.definition.corridors.map(({ id, deliveryMethods }) => ({
    corridor: corridorById(id),
    deliveryMethods,
  }));
}

/** Terms of this anchor for a payout asset at an instant (default: now). */
export function termsFor(context: AnchorContext, buyAsset: string, epochMs = context.clock()): PriceTerms {
  const { definition, seed } = context;
  const { marginPercent, feePercent, feeFixed, lot, protocol } = context.temper();
  const currency = currencyOf(buyAsset);
  const market = marketRate(currency, epochMs, seed);
  return {
    rate: anchorRate(market, { id: definition.id, marginPercent, currency, epochMs, seed }),
    feePercent,
    feeFixed,
    lot,
    payoutPlaces: protocol === 'sep38-old' ? 7 : payoutPlacesOf(buyAsset),
  };
}
