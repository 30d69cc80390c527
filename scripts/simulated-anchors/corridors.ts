import { minorUnitsOf } from '../../contract/schemas/corridors.js';

/** The issuer of Circle's USDC on the public network, as an identifier only: nothing here touches a network. */
export const usdcIssuer = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
export const usdc = `stellar:USDC:${usdcIssuer}`;

function corridor(id: string, currency: string, speedTargetSeconds: number, country?: string) {
  const terms = { sellAsset: usdc, buyAsset: `iso4217:${currency}`, referenceAmount: '100', min: '10' };
  const times = { speedTargetSeconds, overdueAfterSeconds: 6 * 3_600 };
  return { id, ...terms, ...(country === undefined ? {} : { country }), max: '10000', ...times };
}

export type SimulatedCorridor = ReturnType<typeof corridor>;

export const corridors: readonly SimulatedCorridor[] = [
  corridor('usdc-ngn', 'NGN', 600, 'NG'),
  corridor('usdc-kes', 'KES', 600, 'KE'),
  corridor('usdc-ghs', 'GHS', 600, 'GH'),
  corridor('usdc-zar', 'ZAR', 900, 'ZA'),
  corridor('usdc-ugx', 'UGX', 600, 'UG'),
  corridor('usdc-xof-sn', 'XOF', 900, 'SN'),
  corridor('usdc-mxn', 'MXN', 900, 'MX'),
  corridor('usdc-brl', 'BRL', 600, 'BR'),
  corridor('usdc-php', 'PHP', 900, 'PH'),
  corridor('usdc-eur', 'EUR', 900),
];

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
