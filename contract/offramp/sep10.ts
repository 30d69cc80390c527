import type { Transaction } from '@stellar/stellar-base';
import { fromBase64, fromUtf8, utf8 } from '../verification/bytes.js';
import { verifyEd25519 } from '../verification/ed25519.js';
import { decodePublicKey } from '../verification/strkey.js';
import { Stop } from './errors.js';
import { exchange, membersOf, patiently, refusal } from './exchange.js';
import type { Run } from './options.js';
import type { OfframpAnchor } from './state.js';
import { readEnvelope, signByWallet } from './wallet.js';

/** SEP-10: proves the account to the anchor. Resolves to the token. */
export async function authenticate(run: Run, anchor: OfframpAnchor, account: string): Promise<string> {
  const { networkPassphrase } = run;
  const endpoint = new URL(anchor.webAuthEndpoint);
  const asking = new URL(endpoint);
  asking.searchParams.set('account', account);
  asking.searchParams.set('home_domain', anchor.homeDomain);
  const asked = await patiently(run, 'anchor_unavailable', () => exchange(run, asking.href));
  const { transaction, network_passphrase: network = networkPassphrase } = membersOf(asked.text) ?? {};
  if (asked.status !== 200) throw refusal(asked);
  if (network !== networkPassphrase) throw new Stop('wrong_network', { detail: String(network) });
  if (typeof transaction !== 'string') throw new Stop('challenge_invalid', { detail: 'malformed' });

  const fault = challengeFault(transaction, {
    account,
    signingKey: anchor.signingKey,
    homeDomain: anchor.homeDomain,
    webAuthDomain: endpoint.host,
    networkPassphrase,
    nowMs: run.clock(),
  });
  if (fault !== null) throw new Stop('challenge_invalid', { detail: fault });
  const signed = await signByWallet(run, transaction, account);

  const answer = await patiently(run, 'anchor_unavailable', () =>
    exchange(run, endpoint.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ transaction: signed }),
    }),
  );
  const { token } = membersOf(answer.text) ?? {};
  if (answer.status !== 200 || typeof token !== 'string') throw refusal(answer);
  return token;
}

/** What can be wrong with a SEP-10 challenge. A challenge with any of these faults must not be signed. */
export const challengeFaults = {
  malformed: 'It is not the envelope of one plain transaction.',
  source: "Its source is not the anchor's SIGNING_KEY.",
  sequence: 'Its sequence number is not 0: it could be carried out.',
  signature: "It does not carry the SIGNING_KEY's signature for this network.",
  time_bounds: 'It has no time bounds, or the present time is not within them.',
  memo: 'It carries a memo, which stands for another user of the account.',
  operation: 'An operation is not ManageData.',
  account: 'The first operation is not of the account that asked.',
  home_domain: 'The first operation does not name the home domain.',
  nonce: 'The first operation does not hold a nonce of 48 bytes.',
  other_source: "A further operation is not of the anchor's SIGNING_KEY.",
  web_auth_domain: 'It names another web_auth_domain than the one that was asked.',
} as const;

export type ChallengeFault = keyof typeof challengeFaults;

interface ExpectedChallenge {
  /** The account that asked, `G…`. */
  account: string;
  /** `G…`. */
  signingKey: string;
  homeDomain: string;
  /** Host of the endpoint. */
  webAuthDomain: string;
  networkPassphrase: string;
  nowMs: number;
}

const nonceChars = 64;
const nonceBytes = 48;
/** How early a challenge may be, since SEP-10 allows clocks to differ; it is rarely older than its round trip. */
const clockToleranceSeconds = 300;

/** Null for a challenge that is safe to sign (SEP-10, "Challenge", as the client verifies it), else the first fault. */
export function challengeFault(envelope: string, expected: ExpectedChallenge): ChallengeFault | null {
  const transaction = readEnvelope(envelope, expected.networkPassphrase);
  if (transaction === undefined || 'innerTransaction' in transaction) return 'malformed';
  if (transaction.source !== expected.signingKey) return 'source';
  if (transaction.sequence !== '0') return 'sequence';
  if (!isSignedBy(transaction, expected.signingKey)) return 'signature';
  if (!isTimely(transaction, expected.nowMs)) return 'time_bounds';
  if (transaction.memo.type !== 'none') return 'memo';
  return operationFault(transaction, expected);
}

function isSignedBy(transaction: Transaction, signingKey: string): boolean {
  const hash = transaction.hash();
  const key = decodePublicKey(signingKey);
  return transaction.signatures.some((each) => verifyEd25519(each.signature(), hash, key));
}

function isTimely({ timeBounds }: Transaction, nowMs: number): boolean {
  const { minTime, maxTime } = timeBounds ?? { minTime: '0', maxTime: '0' };
  const now = nowMs / 1000;
  // A maximum of 0 means that there is no bound.
  return maxTime !== '0' && Number(minTime) - clockToleranceSeconds <= now && now <= Number(maxTime);
}

function operationFault(
  { operations }: Transaction,
  { account, homeDomain, signingKey, webAuthDomain }: ExpectedChallenge,
): ChallengeFault | null {
  const [first, ...others] = operations;
  if (first?.type !== 'manageData') return 'operation';
  if (first.source !== account) return 'account';
  if (first.name !== `${homeDomain} auth`) return 'home_domain';
  if (!isNonce(first.value)) return 'nonce';
  for (const other of others) {
    if (other.type !== 'manageData') return 'operation';
    if (other.source !== signingKey) return 'other_source';
    if (other.name === 'web_auth_domain' && !isText(other.value, webAuthDomain)) return 'web_auth_domain';
  }
  return null;
}

/** 48 random bytes as base64, which makes 64 characters. */
function isNonce(value: Uint8Array | undefined): boolean {
  if (value?.length !== nonceChars) return false;
  try {
    return fromBase64(fromUtf8(value)).length === nonceBytes;
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return false;
    throw error;
  }
}

function isText(value: Uint8Array | undefined, text: string): boolean {
  const bytes = utf8(text);
  return value?.length === bytes.length && bytes.every((byte, at) => byte === value[at]);
}
