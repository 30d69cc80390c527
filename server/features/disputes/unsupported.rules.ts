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

/** Unsupported disputes that are recorded in 24 hours: of one client, and against one anchor. */
export const unsupportedLimits = { perClient: 3, perAnchor: 200 } as const;

/**
 * Whose limit refuses one more unsupported dispute, after so many of the client and so many against the anchor. The
 * second half of an anchor's places is for clients that have filed none in their 24 hours, so that a few clients cannot
 * take all of them from a wallet that was robbed.
 */
export function spentUnsupported(ofClient: number, ofAnchor: number): keyof typeof unsupportedLimits | null {
  const { perClient, perAnchor } = unsupportedLimits;
  if (ofClient >= perClient) return 'perClient';
  const isFirst = ofClient === 0;
  return ofAnchor >= (isFirst ? perAnchor : perAnchor / 2) ? 'perAnchor' : null;
}
