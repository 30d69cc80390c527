import { standardSecret } from '../../../contract/verification/verify-webhook.js';

/** What is kept of an answer. */
export const excerptBytes = 1_024;
/** What is read of it: enough that a secret which begins inside the excerpt is seen whole, and so taken out whole. */
export const answerBytes = excerptBytes + 512;

const hidden = '[secret]';

/**
 * The first 1,024 bytes of an answer as printable ASCII: other bytes, backslash, `<`, `>`, `&` and `"` become `\xNN`,
 * so that it is harmless in a log, a terminal and a page.
 * @param cutOut the forms of secrets, which a receiver may echo
 */
export function excerptOf(answer: Uint8Array, cutOut: readonly string[]): string {
  let text = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength).toString('latin1');
  for (const form of cutOut) text = text.replaceAll(form, hidden);
  return text
    .slice(0, excerptBytes)
    .replaceAll(
      /[^\x20-\x7e]|[\\<>&"]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
}

/** As registered, inside JSON, in hex and base64, and as libraries of Standard Webhooks write it. */
export function formsOf(secret: string): string[] {
  const standard = standardSecret(secret);
  const bytes = Buffer.from(secret);
  return [
    standard,
    standard.slice('whsec_'.length),
    bytes.toString('base64'),
    bytes.toString('hex'),
    JSON.stringify(secret).slice(1, -1),
    secret,
  ];
}
