import type { CorridorAnswer } from '@fairlead/contract/client';

/** `USDC → Nigerian Naira` of `usdc-ngn`; `USDC → West African CFA Franc · Senegal` where the id names a country. */
export function corridorName(id: string, locale: string): string {
  const [asset = '', currency = '', country] = id.toUpperCase().split('-');
  const name = `${asset} → ${nameOf('currency', currency, locale)}`;
  return country === undefined ? name : `${name} · ${nameOf('region', country, locale)}`;
}

/** Where a corridor pays out, and in what: `Nigeria` and `Nigerian Naira (NGN)`; `Euro` and `EUR`, of many countries. */
export function placeOf({ country, buyAsset }: CorridorAnswer, locale: string) {
  const code = buyAsset.replace('iso4217:', '');
  const currency = nameOf('currency', code, locale);
  return {
    // French writes the names of currencies small, also where one heads a line.
    place: country === null ? capital(currency, locale) : nameOf('region', country, locale),
    currency: country === null ? code : `${currency} (${code})`,
  };
}

function capital(text: string, locale: string): string {
  return text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1);
}

/** The code itself where it is none of the standard, which the browser refuses. */
function nameOf(type: 'region' | 'currency', code: string, locale: string): string {
  try {
    return new Intl.DisplayNames(locale, { type }).of(code) ?? code;
  } catch (error) {
    if (error instanceof RangeError) return code;
    throw error;
  }
}

/** `usdc-ngn` sells USDC and pays NGN; `usdc-xof-sn` names the country besides. */
export function codesOf(corridor: string): { sold: string; paid: string } {
  const [sold = '', paid = ''] = corridor.toUpperCase().split('-');
  return { sold, paid };
}
