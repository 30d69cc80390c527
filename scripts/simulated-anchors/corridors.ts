import { minorUnitsOf } from '../../contract/schemas/corridors.js';

/** The issuer of Circle's USDC on the public network, as an identifier only: nothing here touches a network. */
export const usdcIssuer = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
export const usdc = `stellar:USDC:${usdcIssuer}`;

export interface SimulatedCorridor {
  id: string;
  sellAsset: string;
  buyAsset: string;
  country?: string;
  referenceAmount: string;
  min: string;
  max: string;
  speedTargetSeconds: number;
  overdueAfterSeconds: number;
}

const hour = 3_600;

function corridor(currency: string, country: string | null, speedTargetSeconds: number, id: string) {
  return {
    id,
    sellAsset: usdc,
    buyAsset: `iso4217:${currency}`,
    ...(country === null ? {} : { country }),
    referenceAmount: '100',
    min: '10',
    max: '10000',
    speedTargetSeconds,
    overdueAfterSeconds: 6 * hour,
  } satisfies SimulatedCorridor;
}

export const corridors: readonly SimulatedCorridor[] = [
  corridor('NGN', 'NG', 600, 'usdc-ngn'),
  corridor('KES', 'KE', 600, 'usdc-kes'),
  corridor('GHS', 'GH', 600, 'usdc-ghs'),
  corridor('ZAR', 'ZA', 900, 'usdc-zar'),
  corridor('UGX', 'UG', 600, 'usdc-ugx'),
  corridor('XOF', 'SN', 900, 'usdc-xof-sn'),
  corridor('MXN', 'MX', 900, 'usdc-mxn'),
  corridor('BRL', 'BR', 600, 'usdc-brl'),
  corridor('PHP', 'PH', 900, 'usdc-php'),
  corridor('EUR', null, 900, 'usdc-eur'),
];

const byId = new Map(corridors.map((each) => [each.id, each]));

/** The corridor of that id; throws for one that is not in the table (a mistake in profiles.ts). */
export function corridorById(id: string): SimulatedCorridor {
  const found = byId.get(id);
  if (found === undefined) throw new Error(`no simulated corridor ${id}`);
  return found;
}

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
