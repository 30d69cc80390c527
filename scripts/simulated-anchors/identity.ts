import { createHash } from 'node:crypto';
import { Keypair, StrKey } from '@stellar/stellar-base';

/** A key derived from its label, so that an anchor keeps its identity over restarts. It is not secret. */
export function simulatedKey(label: string): Keypair {
  return Keypair.fromRawEd25519Seed(createHash('sha256').update(`fairlead simulated key: ${label}`).digest());
}

/** The partner token of a simulated anchor, derived from its id for the same reason and no more secret. */
export function simulatedPartnerToken(anchorId: string): string {
  const digest = createHash('sha256').update(`fairlead simulated partner token: ${anchorId}`).digest('hex');
  return `partner-${digest.slice(0, 40)}`;
}

/** True for a well-formed `G…` key. */
export function isAccount(text: string): boolean {
  return StrKey.isValidEd25519PublicKey(text);
}

/** `Bearer x` → `x`; null for anything else. */
export function bearerOf(authorization = ''): string | null {
  return /^Bearer ([\x21-\x7e]{1,512})$/.exec(authorization)?.[1] ?? null;
}

/** Who sends a request: `partner` is the operator of the service with its token, anything else the account of a wallet. */
export type Caller = 'partner' | `G${string}`;

/**
 * Reads the bearer token. A wallet's is `sim.<G account>.<anything>`, in place of the JWT that SEP-10 would give. It is
 * not signed and proves nothing, which is good enough for a simulation.
 */
export function callerOf(partnerToken: string | null, authorization?: string): Caller | null {
  const bearer = bearerOf(authorization);
  if (bearer === null) return null;
  if (bearer === partnerToken) return 'partner';
  const account = /^sim\.(G\w+)\./.exec(bearer)?.[1] ?? '';
  return isAccount(account) ? (account as Caller) : null;
}
