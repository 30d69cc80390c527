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
