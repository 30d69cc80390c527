import type { Corridor } from '../../server/features/anchors/fleet.rules.js';

const usdc = 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';

/** A corridor out of the blue, for tests of rules. */
export function corridorFixture(patch: Partial<Corridor> = {}): Corridor {
  return {
    id: 'usdc-brl',
    sellAsset: usdc,
    sellCode: 'USDC',
    sellIssuer: usdc.slice('stellar:USDC:'.length),
    buyAsset: 'iso4217:BRL',
    currency: 'BRL',
    payoutDecimals: 2,
    country: 'BR',
    countryMatters: false,
    referenceAmount: '100',
    min: '10',
    max: '10000',
    speedTargetSeconds: 600,
    overdueAfterSeconds: 86_400,
    ...patch,
  };
}
