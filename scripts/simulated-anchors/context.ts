import type { Keypair } from '@stellar/stellar-base';
import { minorUnitsOf } from '../../contract/schemas/corridors.js';
import type { Clock, Random } from '../../server/ports.js';
import type { SimulatedLedger } from '../simulated-ledger/index.js';
import { usdc } from '../simulated-ledger/payments.js';
import { anchorRate, marketRate, type PriceTerms } from './pricing.js';
import type { AnchorDefinition, Profile } from './profiles.js';
import world from './world.json' with { type: 'json' };

/** The settings that all simulated anchors share. */
export interface FleetSettings {
  clock: Clock;
  random: Random;
  /** Multiplies every settlement time: 1 is the profile's own. */
  pace: number;
  /** Multiplies the profiles' latency. */
  latencyFactor: number;
  /** The simulated ledger, on which anchors see the payments to them. */
  ledger?: Pick<SimulatedLedger, 'rpcUrl' | 'paymentsAfter' | 'latest'> | undefined;
}

/** What the protocol files of one anchor share. */
export interface AnchorContext extends FleetSettings {
  definition: AnchorDefinition;
  /** Its profile now: tests change it. */
  profile(): Profile;
  /** `http://127.0.0.1:…`, known once it listens. */
  origin(): string;
  signingKey: Keypair;
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
  const { definition } = context;
  const { marginPercent, feePercent, feeFixed, lot, protocol } = context.profile();
  const currency = currencyOf(buyAsset);
  const market = marketRate(currency, epochMs);
  const rate = anchorRate(market, { id: definition.id, marginPercent, currency, epochMs });
  return {
    rate,
    feePercent,
    feeFixed,
    lot,
    payoutPlaces: protocol === 'sep38-old' ? 7 : payoutPlacesOf(buyAsset),
  };
}

export type SimulatedCorridor = (typeof corridors)[number];

export const corridors = world.corridors.map(({ currency, ...own }) => ({
  ...own,
  sellAsset: usdc,
  buyAsset: `iso4217:${currency}`,
  referenceAmount: '100',
  min: '10',
  max: '10000',
  overdueAfterSeconds: 6 * 3_600,
}));

/** `iso4217:NGN` → `NGN`. */
export function currencyOf(asset: string): string {
  return asset.slice(asset.indexOf(':') + 1);
}

/** Decimal places of a payout in this asset; throws for a currency outside the table. */
export function payoutPlacesOf(asset: string): number {
  const places = minorUnitsOf(currencyOf(asset));
  if (places === undefined) throw new Error(`no minor units for ${asset}`);
  return places;
}
