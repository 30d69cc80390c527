/** `part / whole` with the given number of decimal places, as text. Both must be zero or more. */
export function fraction(part: bigint, whole: bigint, places: number, round: 'up' | 'down'): string {
  const scaled = part * 10n ** BigInt(places);
  const units = round === 'down' ? scaled / whole : (scaled + whole - 1n) / whole;
  const digits = units.toString().padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
