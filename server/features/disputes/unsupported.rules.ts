import type { DisputableIntent } from './entitlement.rules.js';

/**
 * Whether nothing but the account says that the disputed transaction exists: the intent expired, and neither a look nor
 * a callback ever showed a record of it. Every other outcome rests on a record.
 */
export function isUnsupported({
  outcome,
  observations,
}: Pick<DisputableIntent, 'outcome' | 'observations'>): boolean {
  return outcome?.kind === 'expired' && observations.firstAtMs === null;
}

/** Most unsupported disputes that are recorded in 24 hours, per client and per anchor. */
export const unsupportedLimits = { perClient: 3, perAnchor: 200 } as const;

/**
 * The limit that refuses one more unsupported dispute, given how many the client filed and how many the anchor has; null
 * where none does. The second half of an anchor's quota is reserved for clients that have filed none in their 24 hours, so
 * that a few clients cannot take all of it from a wallet that was robbed.
 */
export function spentUnsupported(ofClient: number, ofAnchor: number): keyof typeof unsupportedLimits | null {
  const { perClient, perAnchor } = unsupportedLimits;
  if (ofClient >= perClient) return 'perClient';
  const isFirst = ofClient === 0;
  return ofAnchor >= (isFirst ? perAnchor : perAnchor / 2) ? 'perAnchor' : null;
}
