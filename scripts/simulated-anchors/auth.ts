import { decodePublicKey, StrkeyError } from '../../contract/verification/strkey.js';
import type { AnchorContext } from './context.js';
import { html, json, type Reply, refusal } from './http.js';

/** Who asks: the operator of the service with its partner token, or a wallet with its account. */
export type Caller = { kind: 'partner' } | { kind: 'account'; account: string };

/** True for a `G…` key in its one spelling. */
export function isAccount(text: string): boolean {
  try {
    decodePublicKey(text);
    return true;
  } catch (fault) {
    if (fault instanceof StrkeyError) return false;
    throw fault;
  }
}

/**
 * Reads the bearer token. A wallet's is `sim.<G account>.<anything>`: it stands in for the JWT that SEP-10 would give,
 * is signed by nobody and proves nothing, which a simulation can afford.
 */
export function callerOf({ partnerToken }: AnchorContext, bearer: string | null): Caller | null {
  if (bearer === null) return null;
  if (bearer === partnerToken) return { kind: 'partner' };
  const [head, account, ...rest] = bearer.split('.');
  if (head !== 'sim' || account === undefined || rest.length === 0) return null;
  return isAccount(account) ? { kind: 'account', account } : null;
}

/** An error in the anchor's own way: JSON, or a page of HTML where it speaks the old dialect. */
export function faultReply(context: AnchorContext, status: number, message: string): Reply {
  return context.temper().protocol === 'sep38-old' ? html(status, message) : refusal(status, message);
}

export function authenticationRequired(context: AnchorContext): Reply {
  return context.temper().protocol === 'sep38-old'
    ? html(403, 'Forbidden')
    : json(403, { type: 'authentication_required' });
}
