/** The UTC day of an instant, such as `2026-11-21`. */
export function utcDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
