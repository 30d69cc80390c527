/** The accepted forms: with seconds, with up to nine decimals or none, and with `Z` or an offset. */
export const sentInstantPattern =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/**
 * An instant as a client may send it, in the one form that answers and hashes have: UTC, milliseconds (further digits are
 * cut off), `Z`. `2026-11-21T10:30:00+01:00` → `2026-11-21T09:30:00.000Z`. Null for any other form, and for days and
 * hours that do not exist: Date would turn 31 November into 1 December.
 */
export function utcInstant(text: string): string | null {
  const match = sentInstantPattern.exec(text);
  if (match === null) return null;
  const [, seconds = '', fraction = '', sign, hours = '0', minutes = '0'] = match;
  const local = `${seconds}.${`${fraction}000`.slice(0, 3)}Z`;
  const localMs = Date.parse(local);
  if (Number.isNaN(localMs) || new Date(localMs).toISOString() !== local) return null;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const utc = new Date(sign === '-' ? localMs + offsetMs : localMs - offsetMs).toISOString();
  // Years before 0 and after 9999 have more digits.
  return utc.length === local.length ? utc : null;
}
