const isoInstant =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|z|[+-]\d{2}:?\d{2})?$/;

/** ISO 8601; without an offset it is UTC, where `Date.parse` would take the zone of this machine. */
export function instantMs(value: unknown): number | null {
  const match = typeof value === 'string' ? isoInstant.exec(value.trim()) : null;
  if (match === null) return null;
  const [, day = '', time = '', zone = 'Z'] = match;
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const ms = Date.parse(`${day}T${time}${offset}`);
  return Number.isNaN(ms) ? null : ms;
}
