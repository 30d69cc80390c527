import { createHash, randomBytes } from 'node:crypto';
import { toBase64 } from '../../../contract/bytes.js';
import type { FileDisputeBody } from '../../../contract/disputes.js';
import { publicKeyOf, signEd25519 } from '../../../contract/ed25519.js';
import { signDispute } from '../../../contract/sign-dispute.js';
import { encodePublicKey } from '../../../contract/strkey.js';
import { disputeForms } from '../../../server/crypto/ed25519.js';
import type { IntentDocument } from '../../../server/features/intents/intent-document.js';
import { newIntent } from '../../../server/features/intents/new-intent.rules.js';

export interface Signer {
  /** 32 bytes. */
  secretKey: Uint8Array;
  /** `G…`. */
  account: string;
}

/** A key pair fixed by its label. */
export function signer(label: string): Signer {
  const secretKey = new Uint8Array(createHash('sha256').update(label).digest());
  return { secretKey, account: encodePublicKey(publicKeyOf(secretKey)) };
}

/** The key a simulated anchor signs with (scripts/simulated-anchors/keys.ts). */
export function anchorSigner(anchorId: string): Signer {
  return signer(`fairlead simulated key: ${anchorId} signing`);
}

export type Outcome = NonNullable<IntentDocument['outcome']>;

export const outcomes = {
  settled: { kind: 'settled', reason: 'completed', settleSeconds: 90, shortfallPpb: 0 },
  failed: { kind: 'failed', reason: 'error', settleSeconds: null, shortfallPpb: null },
  refunded: { kind: 'failed', reason: 'refunded', settleSeconds: null, shortfallPpb: null },
  expired: { kind: 'expired', reason: 'never_funded', settleSeconds: null, shortfallPpb: null },
} as const satisfies Record<string, Omit<Outcome, 'recordedAt'>>;

/** An intent of that account as it is stored, a transaction attached, and ended like that unless `ending` is null. */
export function storedIntent(
  account: string,
  ending: keyof typeof outcomes | null,
  options: { now?: number; changes?: Partial<IntentDocument> } = {},
): IntentDocument {
  const { now = Date.now(), changes = {} } = options;
  const intent = newIntent({
    intentHash: randomBytes(32).toString('hex'),
    body: {
      corridor: 'usdc-ngn',
      anchorId: 'harbour',
      account,
      sellAmount: '100',
      nonce: 'not-a-part-of-it-at-all',
      anchorTransactionId: randomBytes(16).toString('hex'),
    },
    corridor: {
      id: 'usdc-ngn',
      sellAsset: 'stellar:USDC:G',
      buyAsset: 'iso4217:NGN',
      overdueAfterSeconds: 21_600,
    },
    quote: null,
    nowMs: now,
  });
  if (ending === null) return { ...intent, ...changes };
  const outcome = { ...outcomes[ending], recordedAt: new Date(now) };
  return { ...intent, status: outcome.kind, outcome, open: false, unfolded: true, ...changes };
}

/** A dispute of that intent as its signer sends it. */
export function disputeOf(
  intent: Pick<IntentDocument, '_id' | 'anchorId'>,
  { secretKey }: Signer,
): FileDisputeBody {
  const reason = 'The bank says that nothing arrived.';
  return signDispute({ intentHash: intent._id, anchorId: intent.anchorId, reason, secretKey });
}

export const forms = ['SEP-53', 'text', 'raw'] as const;

/** The signature over an intent hash in one of the forms that are accepted, base64. */
export function signatureIn(form: (typeof forms)[number], intentHash: string, { secretKey }: Signer): string {
  const message = disputeForms(intentHash)[forms.indexOf(form)] ?? new Uint8Array();
  return toBase64(signEd25519(message, secretKey));
}

/** Well formed, and signed by nobody. */
export const falseSignature = `${'A'.repeat(85)}A==`;
