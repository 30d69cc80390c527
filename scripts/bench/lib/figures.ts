/** The middle one, or the mean of the middle two. Throws where there is none. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** By linear interpolation between the closest ranks; `share` in percent. Throws where there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = ((sorted.length - 1) * share) / 100;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('no values to take a percentile of');
  return below + (above - below) * (place - Math.floor(place));
}

/** `×0.83` */
export function ratio(value: number, reference: number): string {
  return `×${significant(value / reference)}`;
}

/** `8,412/s` */
export function perSecond(value: number): string {
  return `${significant(value)}/s`;
}

/** `1.42 ms` */
export function ms(value: number): string {
  return `${significant(value)} ms`;
}

/** `118 µs` */
export function microseconds(value: number): string {
  return `${significant(value)} µs`;
}

/** `64.3 MB`, of 10⁶ bytes. */
export function megabytes(bytes: number): string {
  return `${significant(bytes / 1e6)} MB`;
}

/** Three digits say all that such a measurement knows; whole numbers are kept whole. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return 'n/a';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}
