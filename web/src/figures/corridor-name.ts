/** `USDC → XOF · Senegal` of `usdc-xof-sn`: the codes as people write them, and the country where the id names one. */
export function corridorName(id: string, locale: string): string {
  const [asset = '', currency = '', country] = id.toUpperCase().split('-');
  const codes = `${asset} → ${currency}`;
  if (country === undefined || !/^[A-Z]{2}$/.test(country)) return codes;
  return `${codes} · ${new Intl.DisplayNames(locale, { type: 'region' }).of(country)}`;
}
