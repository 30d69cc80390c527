import { isRefused } from '../../../../contract/anchor-documents/json.js';
import type { StatusCallbackAnswer } from '../../../../contract/schemas/intents.js';
import { decodePublicKey } from '../../../../contract/verification/strkey.js';
import { verifySignature } from '../../../crypto/ed25519.js';
import { ApiError } from '../../../errors.js';
import type { Clock, Logger } from '../../../ports.js';
import type { AnchorDirectory } from '../../anchors/service.js';
import type { Passing } from '../holder/passing.js';
import type { Intent } from '../intent.js';
import { readRecord, unreadOf } from '../record/sep-record.rules.js';
import type { IntentStore } from '../store.js';
import type { MakeProgress } from '../transition/progress.js';
import { digestOf, isFresh, parseSignatureHeader, signedPayload } from './status-callback.rules.js';

export interface StatusCallback {
  /** The `Signature` header. */
  signature: string | undefined;
  /** The exact bytes that were signed, and what they parse to. */
  rawBody: Uint8Array;
  body: unknown;
}

export type TakeStatusCallback = ReturnType<typeof createTakeStatusCallback>;

export function createTakeStatusCallback(deps: {
  store: Pick<IntentStore, 'findByHash' | 'findByTransaction' | 'takeUpAgain'>;
  passing: Pick<Passing, 'passToClaimant'>;
  progress: MakeProgress;
  directory: Pick<AnchorDirectory, 'signingKeyOf' | 'noteUnreadable'>;
  /** Called when a poll of a transaction became due at once. */
  onAttached: () => void;
  /** The address under which anchors reach this service: its host is part of what they sign. */
  publicUrl: string;
  logger: Logger;
  clock: Clock;
}) {
  const { store, passing, progress, directory, logger, clock } = deps;
  const { host, hostname } = new URL(deps.publicUrl);

  /** Returns when it was signed, in Unix seconds. */
  async function verified(anchorId: string, { signature, rawBody }: StatusCallback): Promise<number> {
    const parsed = parseSignatureHeader(signature);
    if (parsed === null) throw refused('The Signature header must be "t=<unix seconds>, s=<base64>".');
    if (!isFresh(parsed.signedAt, clock())) throw refused('The signature is more than two minutes off.');
    const key = await directory.signingKeyOf(anchorId);
    if (key === null) throw refused('No signing key of this anchor is known.');
    const signed = { signature: parsed.signature, publicKey: decodePublicKey(key) };
    // SEP-24 says "host": some sign it as the address has it, and some, such as Java's URI, without its port.
    const genuine = [...new Set([host, hostname])].some((name) =>
      verifySignature(signed, signedPayload(parsed.signedAt, name, rawBody)),
    );
    if (!genuine) throw refused("The signature is not the anchor's over this time, host and body.");
    return parsed.signedAt;
  }

  /**
   * The intent that follows the transaction of a callback. The wallet that began a withdrawal gives the anchor the URL of
   * its own intent, so that a callback binds the transaction to the intent that it is sent to, if that one claims it.
   */
  async function followerOf(intent: Intent, transactionId: string): Promise<string | null> {
    if (transactionId === intent.transactionId) return intent._id;
    if (transactionId !== intent.claimedId) return null;
    const holder = await store.findByTransaction(intent.anchorId, transactionId);
    if (holder === null) return null;
    const passed = await passing.passToClaimant(holder, intent);
    // A holder that changed meanwhile, or ended, keeps it, and the record with it.
    return typeof passed === 'object' ? passed.owner : holder._id;
  }

  /**
   * Applies an anchor's callback. Throws UNKNOWN_INTENT, or INVALID_SIGNATURE without changing anything, or NOT_READY.
   * Calls `countVerified` once the signature is verified; if that throws, the error is passed on and nothing is changed.
   */
  return async (
    intentHash: string,
    callback: StatusCallback,
    countVerified: (anchorId: string) => Promise<void>,
  ): Promise<StatusCallbackAnswer> => {
    const intent = await store.findByHash(intentHash);
    if (intent === null) throw new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
    const signedAt = await verified(intent.anchorId, callback).catch((error: unknown) => {
      if (error instanceof ApiError)
        logger.warn({ anchorId: intent.anchorId, intentHash, why: error.message }, 'status callback refused');
      throw error;
    });
    await countVerified(intent.anchorId);
    const read = readRecord(callback.body);
    const record = isRefused(read) ? null : read;
    const unread = unreadOf(read);
    if (unread !== null) directory.noteUnreadable(intent.anchorId, 'transaction', unread);
    // A readable record is applied below, whatever queue the intent is in. For an unreadable one, the anchor is polled.
    if (record === null && (await store.takeUpAgain(intentHash, new Date(clock())))) deps.onAttached();
    // Only a client that knows the nonce may attach a transaction; a callback may not.
    const follower = record === null ? null : await followerOf(intent, record.id);
    const unchanged = { intentHash, status: intent.status, applied: false };
    if (record === null || follower === null) return unchanged;
    const made = await progress(follower, {
      learned: { record, observedAtMs: clock(), mayBeLate: true },
      callback: { signedAt, digest: digestOf(callback.rawBody) },
    });
    // If the report was applied to another intent, the answer says nothing about that intent.
    return made?.intentHash === intentHash
      ? { intentHash, status: made.after, applied: made.applied }
      : unchanged;
  };
}

function refused(message: string): ApiError {
  return new ApiError('INVALID_SIGNATURE', message);
}
