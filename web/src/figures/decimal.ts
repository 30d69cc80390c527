/** The API's decimal text, with its sign, as an integer scaled by 10^places: figures are never rounded on the way. */
function scaled(text: string, places: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(places, '0')}`);
}

function placesOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

/** Negative if `a` is less than `b`. */
export function compareDecimals(a: string, b: string): number {
  const places = Math.max(placesOf(a), placesOf(b));
  const difference = scaled(a, places) - scaled(b, places);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/** `a` less `b`, with the places of the longer one. */
export function subtractDecimals(a: string, b: string): string {
  const places = Math.max(placesOf(a), placesOf(b));
  const difference = scaled(a, places) - scaled(b, places);
  const sign = difference < 0n ? '-' : '';
  const digits = String(difference < 0n ? -difference : difference).padStart(places + 1, '0');
  const cut = digits.length - places;
  return places === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, cut)}.${digits.slice(cut)}`;
}

/** Compares `a.amount / a.per` with `b.amount / b.per`, multiplied out; divisors are above zero. */
export function compareShares(
  a: { amount: string; per: string },
  b: { amount: string; per: string },
): number {
  const places = Math.max(...[a.amount, a.per, b.amount, b.per].map(placesOf));
  const left = scaled(a.amount, places) * scaled(b.per, places);
  const right = scaled(b.amount, places) * scaled(a.per, places);
  return left < right ? -1 : Number(left > right);
}
