import pLimit from 'p-limit';
import type { DisputeAnswer, FileDisputeBody } from '../../../contract/schemas/disputes.js';
import { parsePublicKey } from '../../../contract/verification/strkey.js';
import { verifyDispute } from '../../crypto/ed25519.js';
import { ApiError } from '../../errors.js';
import type { ClientSession, InTransaction } from '../../mongo/transactions.js';
import type { Clock, NewId } from '../../ports.js';
import type { Emit } from '../../webhooks/outbox.js';
import { newDispute, toDisputeAnswer, toEventData } from './dispute.rules.js';
import {
  type DisputableIntent,
  entitledParty,
  isWithinWindow,
  mayDispute,
  type Outcome,
  type Party,
} from './entitlement.rules.js';
import type { DisputeLimits, ShowLimit } from './limits.js';
import type { DisputeDocument, DisputeStore } from './store.js';

/** Verified disputes recorded at once: more transactions on one intent or key would only conflict with each other. */
const recordedAtOnce = 2;

export interface FilingDeps {
  store: Pick<DisputeStore, 'listOfIntent' | 'insert'>;
  /** With a session, as that transaction sees it. */
  findIntent: (intentHash: string, session?: ClientSession) => Promise<DisputableIntent | null>;
  /** Keeps the intent for good, within the transaction that records its dispute. False where it no longer exists. */
  keepIntent: (session: ClientSession, intentHash: string) => Promise<boolean>;
  /** The key (G…) an anchor signs with, or null. */
  signingKeyOf: (anchorId: string) => Promise<string | null>;
  limits: DisputeLimits;
  inTransaction: InTransaction;
  writeEvent: Emit;
  clock: Clock;
  newId: NewId;
}

export type FileDispute = ReturnType<typeof createFileDispute>;

/** A dispute whose signature was verified. `client` is the hash of its client. */
interface VerifiedDispute {
  intentHash: string;
  party: Party;
  account: string;
  reason: string;
  client: string;
}

export function createFileDispute(deps: FilingDeps) {
  const { store, findIntent, limits, clock } = deps;
  const fewAtOnce = pLimit(recordedAtOnce);

  /** The signer's party, after every check of it except the signature. */
  async function partyOf(intent: DisputableIntent, account: string, anchorId: string): Promise<Party> {
    const party = entitledParty(intent, account, await deps.signingKeyOf(intent.anchorId));
    if (party === null) throw notEntitled();
    if (intent.anchorId === anchorId) return party;
    throw anchorMismatch();
  }

  /**
   * Reads everything again, since the outcome may have changed after the signer was found entitled. Where another request
   * inserts the same dispute concurrently, the unique index makes it a write conflict, on which the transaction starts over
   * and finds the dispute. It counts last, so that disputes that are refused do not conflict with each other.
   */
  async function readOrInsert(
    session: ClientSession,
    id: string,
    { intentHash, party, account, reason, client }: VerifiedDispute,
    show: ShowLimit,
  ): Promise<{ created: boolean; dispute: DisputeDocument }> {
    const known = await store.listOfIntent(intentHash, session);
    const ofKey = await limits.left(session, 'key', account);
    show(ofKey);
    const filed = known.find((dispute) => dispute.filedBy === party);
    if (filed !== undefined) return { created: false, dispute: filed };
    limits.refuseSpent('key', ofKey);
    const intent = await findIntent(intentHash, session);
    if (intent === null) throw unknownIntent();
    if (!mayDispute(party, intent)) throw notEntitled();
    const now = new Date(clock());
    const outcome = disputableOutcome(intent, now);
    if (known.some(({ status }) => status === 'open')) {
      throw new ApiError('DISPUTE_EXISTS', 'Another dispute of this intent is still open.');
    }
    const dispute = newDispute({ id, intent, outcome, party, account, reason, now });
    if (dispute.unsupported) await takeUnsupported(session, intent.anchorId, client, show);
    if (!(await deps.keepIntent(session, intentHash))) throw unknownIntent();
    await store.insert(session, dispute);
    show(await limits.count(session, 'key', account));
    await deps.writeEvent(session, 'dispute.created', { ...toEventData(dispute), reason });
    return { created: true, dispute };
  }

  async function takeUnsupported(session: ClientSession, anchorId: string, client: string, show: ShowLimit) {
    for (const [kind, name] of [
      ['client', client],
      ['anchor', anchorId],
    ] as const) {
      const before = await limits.left(session, kind, name);
      if (before.retryAfterSeconds !== undefined) show(before);
      limits.refuseSpent(kind, before);
      const after = await limits.count(session, kind, name);
      if (kind === 'client') show(after);
    }
  }

  /**
   * Files a dispute, or finds it filed (`created` is false). Refuses, in this order, with RATE_LIMITED (attempts),
   * UNKNOWN_INTENT, SIGNER_NOT_ENTITLED, ANCHOR_MISMATCH, INVALID_SIGNATURE, RATE_LIMITED (the key's disputes),
   * INTENT_UNRESOLVED, DISPUTE_WINDOW_CLOSED, DISPUTE_EXISTS, RATE_LIMITED (unsupported disputes).
   * @param client who sends it: the client key, and the hash of it that may be stored with what it filed
   */
  return async (
    body: FileDisputeBody,
    client: { key: string; hash: string },
    show: ShowLimit,
  ): Promise<{ created: boolean; answer: DisputeAnswer }> => {
    const { intentHash, anchorId, reason } = body;
    const { account, key: publicKey } = parsePublicKey(body.publicKey);
    await limits.takeAttempt(account, client.key, show);
    const intent = await findIntent(intentHash);
    if (intent === null) throw unknownIntent();
    const party = await partyOf(intent, account, anchorId);
    const signature = Buffer.from(body.signature, 'base64');
    if (!verifyDispute({ signature, publicKey }, intentHash)) {
      const message = 'The signature does not verify for this intentHash and publicKey.';
      throw new ApiError('INVALID_SIGNATURE', message);
    }
    const id = disputeId(clock(), deps.newId());
    const verified = { intentHash, party, account, reason, client: client.hash };
    const { created, dispute } = await fewAtOnce(() =>
      deps.inTransaction((session) => readOrInsert(session, id, verified, show)),
    );
    return { created, answer: toDisputeAnswer(dispute) };
  };
}

function disputableOutcome(intent: DisputableIntent, now: Date): Outcome {
  if (intent.outcome === null) {
    throw new ApiError('INTENT_UNRESOLVED', 'The intent has no outcome yet.');
  }
  if (!isWithinWindow(intent, now)) {
    throw new ApiError('DISPUTE_WINDOW_CLOSED', 'The outcome is older than 30 days.');
  }
  return intent.outcome;
}

function unknownIntent(): ApiError {
  return new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
}

function notEntitled(): ApiError {
  return new ApiError('SIGNER_NOT_ENTITLED', 'This key may not dispute this outcome.');
}

/** Ids sort by time. */
function disputeId(nowMs: number, freshId: string): string {
  return `dsp_${nowMs.toString(16).padStart(12, '0')}${freshId.slice(0, 24)}`;
}

function anchorMismatch(): ApiError {
  const message = 'is not the anchor of this intent';
  const details = [{ path: 'body.anchorId', message }];
  return new ApiError('ANCHOR_MISMATCH', `body.anchorId: ${message}`, { details });
}
