import type { Clock, Random } from '../../server/ports.js';
import { corridors, currencyOf, payoutPlacesOf, type SimulatedCorridor } from './corridors.js';
import type { SimulatedKey } from './identity.js';
import { anchorRate, marketRate, type PriceTerms } from './pricing.js';
import type { AnchorDefinition, Profile } from './profiles.js';

/** The settings that all simulated anchors share. */
export interface FleetSettings {
  clock: Clock;
  random: Random;
  seed: string;
  /** Multiplies every settlement time: 1 is the profile's own. */
  pace: number;
  /** Multiplies the profiles' latency. */
  latencyFactor: number;
  /** The simulated ledger, on which anchors see the payments to them. */
  ledger?: { rpcUrl: string; horizonUrl: string } | undefined;
}

/** What the protocol files of one anchor share. */
export interface AnchorContext extends FleetSettings {
  definition: AnchorDefinition;
  /** Its profile now: tests change it. */
  profile(): Profile;
  /** `http://127.0.0.1:…`, known once it listens. */
  origin(): string;
  signingKey: SimulatedKey;
  /** The account that withdrawals are paid to. */
  receivingAccount: string;
  partnerToken: string | null;
}

/** A corridor this anchor serves, with its delivery methods. */
export interface ServedCorridor {
  corridor: SimulatedCorridor;
  deliveryMethods: readonly string[];
}

export function servedCorridors({ definition }: AnchorContext): ServedCorridor[] {
  return definition.corridors.flatMap(({ id, deliveryMethods }) =>
    corridors.filter((each) => each.id === id).map((corridor) => ({ corridor, deliveryMethods })),
  );
}

/** The terms of this anchor for a payout asset at an instant (default: now). */
export function termsFor(context: AnchorContext, buyAsset: string, epochMs = context.clock()): PriceTerms {
  const { definition, seed } = context;
  const { marginPercent, feePercent, feeFixed, lot, protocol } = context.profile();
  const currency = currencyOf(buyAsset);
  const market = marketRate(currency, epochMs, seed);
  const rate = anchorRate(market, { id: definition.id, marginPercent, currency, epochMs, seed });
  return {
    rate,
    feePercent,
    feeFixed,
    lot,
    payoutPlaces: protocol === 'sep38-old' ? 7 : payoutPlacesOf(buyAsset),
  };
}
