/** More than these do not all survive in a JavaScript number. */
const exactDigits = 15;
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON that others wrote: a byte order mark is skipped, and a number of more than 15 digits arrives as text, so
 * that 64-bit ids and memos survive. Throws SyntaxError on anything but JSON.
 */
export function parseJson(text: string): unknown {
  const json = text.replace(/^\uFEFF/, '');
  const value: unknown = JSON.parse(json);
  // Only what was parsed before is taken apart: on other text the pattern could be slow.
  if (!/\d[\d.]{15}/.test(json)) return value;
  return JSON.parse(json.replace(token, (found) => (isLongNumber(found) ? `"${found}"` : found)));
}

function isLongNumber(found: string): boolean {
  const [digits = ''] = found.toLowerCase().split('e');
  return !found.startsWith('"') && digits.replace(/\D/g, '').length > exactDigits;
}

/** The members of an object; null for anything else. */
export function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** What a reader gives for a document that it cannot use: the member, or the line, and what is wrong there. */
export interface Refused {
  refused: string;
}

export function isRefused(read: object): read is Refused {
  return 'refused' in read;
}
