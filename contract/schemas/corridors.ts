import { z } from 'zod';
import { anchorId, corridorId, decimalAnswer, page } from './primitives.js';

/** How the fiat reaches the person: a name the anchor uses in SEP-38 and SEP-6 (`bank_account`, `cash`, `PIX`). */
export const deliveryMethod = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/,
    'must be a delivery method: a letter or digit, then up to 39 letters, digits, dots, hyphens or underscores',
  )
  .describe('Delivery method, named as the anchors name it: `bank_account`, `mobile_money`, `cash`.');

export const sellAssetId = z
  .string()
  .describe('The stablecoin, in SEP-38 form: `stellar:USDC:` and its issuer.');

export const buyAssetId = z.string().describe('The fiat currency, in SEP-38 form: `iso4217:NGN`.');

/** One route from a stablecoin to a currency, and who serves it. */
export const corridorAnswer = z
  .object({
    id: corridorId,
    sellAsset: sellAssetId,
    buyAsset: buyAssetId,
    country: z
      .string()
      .nullable()
      .describe('ISO 3166 alpha-2 country of the payout, or null where the currency alone decides.'),
    referenceAmount: decimalAnswer.describe('The stablecoin amount quoted when a request names none.'),
    min: decimalAnswer.describe('The smallest stablecoin amount that may be asked for.'),
    max: decimalAnswer.describe('The largest stablecoin amount that may be asked for.'),
    payoutDecimals: z
      .number()
      .int()
      .min(0)
      .describe('Decimal places of the currency (ISO 4217 minor units).'),
    speedTargetSeconds: z.number().int().min(1).describe('How fast a payout is expected here, in seconds.'),
    overdueAfterSeconds: z
      .number()
      .int()
      .min(1)
      .describe('After how many seconds a paid intent that is still open counts as failed.'),
    deliveryMethods: z.array(z.string()).describe('Every delivery method that some anchor offers here.'),
    anchors: z
      .array(
        z.object({
          id: anchorId,
          name: z.string().describe('The name people know the anchor by.'),
          simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
          deliveryMethods: z.array(z.string()).describe('The delivery methods this anchor offers here.'),
        }),
      )
      .describe('The anchors that serve the corridor, by id.'),
  })
  .describe('A corridor: what is sold, what is paid out, within which limits and by whom.');
export type CorridorAnswer = z.infer<typeof corridorAnswer>;

export const corridorPage = page(corridorAnswer).describe('A page of corridors, ordered by id.');
export type CorridorPage = z.infer<typeof corridorPage>;

/**
 * Minor units of the currencies of payouts: ISO 4217, list of active codes. This is a table because the data of `Intl`
 * has 0 for COP and IDR, where the standard has 2.
 */
const byMinorUnits = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF ' +
    'CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ' +
    'IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR ' +
    'MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD ' +
    'SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD YER ZAR ' +
    'ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
} as const;

const minorUnits: ReadonlyMap<string, number> = new Map(
  Object.entries(byMinorUnits).flatMap(([units, codes]) =>
    codes.split(' ').map((code) => [code, Number(units)] as const),
  ),
);

/** Decimal places of an ISO 4217 currency (`NGN` → 2, `UGX` → 0), or undefined for a code not in the table. */
export function minorUnitsOf(currency: string): number | undefined {
  return minorUnits.get(currency);
}
