import { createHash } from 'node:crypto';
import type { TakenCallbacks } from '../intent.js';

/** Largest difference between a callback's signing time and our clock, in either direction (SEP-24: "1 to 2 minutes"). */
const freshnessMs = 120_000;
/** Most callbacks of one intent, signed in the same second, that are applied; polling makes up for the rest. */
const maxPerSecond = 16;

/** Reads `t=<unix seconds>, s=<base64>`, members in any order; null for anything else. */
export function parseSignatureHeader(header: string | undefined) {
  if (header === undefined || header.length > 256) return null;
  const members = new Map(
    header.split(',').map((part) => {
      const [name = '', ...rest] = part.trim().split('=');
      return [name, rest.join('=')] as const;
    }),
  );
  const time = members.get('t') ?? '';
  const text = members.get('s') ?? '';
  if (members.size !== 2 || !/^\d{1,12}$/.test(time) || !/^[A-Za-z0-9+/]{86}==$/.test(text)) return null;
  const signature = Buffer.from(text, 'base64');
  // One spelling per signature: the last letter before the padding has four spare bits.
  if (signature.toString('base64') !== text) return null;
  return { signedAt: Number(time), signature };
}

export function isFresh(signedAt: number, nowMs: number): boolean {
  return Math.abs(nowMs - signedAt * 1_000) <= freshnessMs;
}

export interface IncomingCallback {
  signedAt: number;
  /** Distinguishes callbacks signed in the same second. */
  digest: string;
}

export function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32);
}

/** The callbacks taken including this one; null where it is a repeat, or older than one taken, and must change nothing. */
export function takeCallback(
  taken: TakenCallbacks | null,
  { signedAt, digest }: IncomingCallback,
): TakenCallbacks | null {
  if (taken === null || signedAt > taken.signedAt) return { signedAt, digests: [digest] };
  if (signedAt < taken.signedAt || taken.digests.includes(digest)) return null;
  if (taken.digests.length >= maxPerSecond) return null;
  return { signedAt, digests: [...taken.digests, digest] };
}

/** What the anchor signs: `<t>.<host of the receiver>.<body>`, the body byte for byte as received. */
export function signedPayload(signedAt: number, host: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${signedAt}.${host}.`), body]);
}
