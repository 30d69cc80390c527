import { expect } from 'vitest';

/** The spellings under which a secret might slip out: as it is, and encoded as programs like to encode. */
export function formsOf(secret: string): string[] {
  const texts = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  const bytes = [Buffer.from(secret)];
  // A key in hex is 32 bytes to whoever uses it.
  if (/^([0-9a-f]{2})+$/.test(secret)) bytes.push(Buffer.from(secret, 'hex'));
  for (const each of bytes) {
    const base64 = each.toString('base64');
    texts.push(each.toString('hex'), base64.replace(/=+$/, ''), each.toString('base64url'));
  }
  return [...new Set(texts)];
}

/** Expects none of the secrets, in whatever spelling and case, in any of the places; a place that is empty proves nothing. */
export function expectNowhere(
  secrets: Readonly<Record<string, string>>,
  places: Readonly<Record<string, string>>,
): void {
  const found: string[] = [];
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, `what there is of: ${place}`).toBeGreaterThan(100);
    const lower = text.toLowerCase();
    for (const [name, secret] of Object.entries(secrets)) {
      for (const form of formsOf(secret)) {
        const at = lower.indexOf(form.toLowerCase());
        if (at >= 0) found.push(`${name} as ${form} in ${place}: …${text.slice(Math.max(0, at - 80), at)}`);
      }
    }
  }
  expect(found).toEqual([]);
}
