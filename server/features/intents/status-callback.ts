import type { StatusCallbackAnswer } from '../../../contract/schemas/intents.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import type { VerifyPool } from '../../crypto/verify-pool.js';
import { ApiError } from '../../errors.js';
import type { Clock } from '../../ports.js';
import type { MakeProgress } from './progress.js';
import { readRecord } from './sep-record.rules.js';
import { digestOf, isFresh, parseSignatureHeader, signedPayload } from './status-callback.rules.js';
import type { IntentStore } from './store.js';

export interface StatusCallback {
  /** The `Signature` header. */
  signature: string | undefined;
  /** The exact bytes that were signed, and what they parse to. */
  rawBody: Uint8Array;
  body: unknown;
}

export interface StatusCallbackDeps {
  store: Pick<IntentStore, 'findByHash'>;
  progress: MakeProgress;
  /** The key (G…) the anchor signs with; null where none is known. */
  signingKeyOf: (anchorId: string) => Promise<string | null>;
  verifyMessage: VerifyPool['verifyMessage'];
  /** Host and port under which anchors reach this service: part of what they sign. */
  host: string;
  clock: Clock;
}

/**
 * Applies an anchor's callback. Throws UNKNOWN_INTENT, or INVALID_SIGNATURE without changing anything. Calls
 * `countVerified` once the signature is verified; what that throws is thrown on, and nothing is changed.
 */
export type TakeStatusCallback = (
  intentHash: string,
  callback: StatusCallback,
  countVerified: (anchorId: string) => Promise<void>,
) => Promise<StatusCallbackAnswer>;

export function createTakeStatusCallback(deps: StatusCallbackDeps): TakeStatusCallback {
  const { store, progress, signingKeyOf, verifyMessage, host, clock } = deps;

  /** Returns when it was signed, in Unix seconds. */
  async function verified(anchorId: string, { signature, rawBody }: StatusCallback): Promise<number> {
    const parsed = parseSignatureHeader(signature);
    if (parsed === null) throw refused('The Signature header must be "t=<unix seconds>, s=<base64>".');
    if (!isFresh(parsed.signedAt, clock())) throw refused('The signature is more than two minutes off.');
    const key = await signingKeyOf(anchorId);
    if (key === null) throw refused('No signing key of this anchor is known.');
    const genuine = await verifyMessage({
      signature: parsed.signature,
      publicKey: decodePublicKey(key),
      message: signedPayload(parsed.signedAt, host, rawBody),
    });
    if (!genuine) throw refused("The signature is not the anchor's over this time, host and body.");
    return parsed.signedAt;
  }

  return async (intentHash, callback, countVerified) => {
    const intent = await store.findByHash(intentHash);
    if (intent === null) throw new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
    const signedAt = await verified(intent.anchorId, callback);
    await countVerified(intent.anchorId);
    const ignored = { intentHash, status: intent.status, applied: false };
    // While the dialect is unknown, read it as SEP-6, which has the larger vocabulary.
    const dialect = intent.dialect ?? 'sep6';
    const record = readRecord(callback.body, dialect);
    // Only a client that knows the nonce may attach a transaction; a callback may not.
    if (record === null || record.id !== intent.transactionId) return ignored;
    const made = await progress(intentHash, {
      observation: { record, observedAtMs: clock(), mayBeLate: true },
      callback: { signedAt, digest: digestOf(callback.rawBody) },
    });
    return made === undefined ? ignored : { intentHash, status: made.after, applied: made.applied };
  };
}

function refused(message: string): ApiError {
  return new ApiError('INVALID_SIGNATURE', message);
}
