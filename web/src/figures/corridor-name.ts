/** `USDC → XOF · Senegal` of `usdc-xof-sn`: the codes as people write them, and the country where the id names one. */
export function corridorName(id: string, locale: string): string {
  const [asset = '', currency = '', country] = id.toUpperCase().split('-');
  const codes = `${asset} → ${currency}`;
  if (country === undefined || !/^[A-Z]{2}$/.test(country)) return codes;
  return `${codes} · ${new Intl.DisplayNames(locale, { type: 'region' }).of(country)}`;
}

/** `USDC → NGN · Nigerian Naira`, `USDC → XOF · Senegal · West African CFA Franc`: to choose from, with the currency's name. */
export function corridorChoice(id: string, currency: string, locale: string): string {
  const name = new Intl.DisplayNames(locale, { type: 'currency' }).of(currency);
  return `${corridorName(id, locale)} · ${name}`;
}
