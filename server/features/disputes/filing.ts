import pLimit from 'p-limit';
import { rateLimitClasses } from '../../../contract/rate-limits.js';
import type { DisputeAnswer, FileDisputeBody } from '../../../contract/schemas/disputes.js';
import { parsePublicKey } from '../../../contract/verification/strkey.js';
import { verifyDispute } from '../../crypto/ed25519.js';
import { ApiError } from '../../errors.js';
import type { RateLimiter } from '../../limits/rate-limiter.js';
import type { ClientSession, InTransaction } from '../../mongo/transactions.js';
import type { Clock, NewId, RateLimitState } from '../../ports.js';
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
import type { DisputeStore } from './store.js';

const tenADay = rateLimitClasses.dispute;

/** What is counted within 24 hours, and what is said where nothing is left. */
const limits = {
  attempt: { ...tenADay, spent: 'Too many disputes of this key were sent from your address.' },
  key: { ...tenADay, spent: 'This key has filed ten disputes within 24 hours.' },
  client: {
    ...tenADay,
    points: 3,
    spent:
      'Too many disputes of transactions that no anchor showed were filed from your address within 24 hours.',
  },
  anchor: {
    ...tenADay,
    points: 200,
    spent: 'Too many disputes of transactions that this anchor never showed were filed within 24 hours.',
  },
};

type ShowLimit = (state: RateLimitState) => void;

export interface FilingDeps {
  store: DisputeStore;
  /** With a session, as that transaction sees it. */
  findIntent: (intentHash: string, session?: ClientSession) => Promise<DisputableIntent | null>;
  /** Keeps the intent for good, within the transaction that records its dispute. False where it no longer exists. */
  keepIntent: (session: ClientSession, intentHash: string) => Promise<boolean>;
  /** The key (G…) an anchor signs with, or null. */
  signingKeyOf: (anchorId: string) => Promise<string | null>;
  limiter: Pick<RateLimiter, 'take'>;
  inTransaction: InTransaction;
  writeEvent: Emit;
  clock: Clock;
  newId: NewId;
}

/** A dispute whose signature was verified. */
interface Verified {
  id: string;
  intentHash: string;
  party: Party;
  account: string;
  reason: string;
}

export function createFileDispute(deps: FilingDeps) {
  const { store, findIntent, clock } = deps;
  // The same dispute may arrive many times at once, and is to cost its key one point.
  const oneAtATime = pLimit(1);

  /** The signer's party, after every check of it except the signature. */
  async function partyOf(intent: DisputableIntent, account: string, anchorId: string): Promise<Party> {
    const party = entitledParty(intent, account, await deps.signingKeyOf(intent.anchorId));
    if (party === null) throw notEntitled();
    if (intent.anchorId === anchorId) return party;
    throw anchorMismatch();
  }

  /** The dispute as it was filed before, or a new one (`created`) that may be filed. */
  async function findOrMake({ id, intentHash, party, account, reason }: Verified, session?: ClientSession) {
    const known = await store.listOfIntent(intentHash, session);
    const filed = known.find((dispute) => dispute.filedBy === party);
    if (filed !== undefined) return { created: false, dispute: filed };
    const intent = await findIntent(intentHash, session);
    if (intent === null) throw unknownIntent();
    // The outcome may have changed after the signer was found entitled.
    if (!mayDispute(party, intent)) throw notEntitled();
    const now = new Date(clock());
    const outcome = disputableOutcome(intent, now);
    if (known.some(({ status }) => status === 'open')) {
      throw new ApiError('DISPUTE_EXISTS', 'Another dispute of this intent is still open.');
    }
    return { created: true, dispute: newDispute({ id, intent, outcome, party, account, reason, now }) };
  }

  /**
   * Takes the points before the transaction: what is refused or known already costs none, so that a captured dispute which
   * is sent again costs its owner nothing.
   */
  async function record(verified: Verified, client: string, show: ShowLimit) {
    const { created, dispute } = await findOrMake(verified);
    if (!created) return { created, dispute };
    if (dispute.unsupported) await take('client', [client], show);
    await take('key', [verified.account], show);
    if (dispute.unsupported) await take('anchor', [dispute.anchorId], show);
    return deps.inTransaction((session) => insert(session, verified));
  }

  /** Where another instance inserts it concurrently, the unique index makes that a write conflict, which is tried again. */
  async function insert(session: ClientSession, verified: Verified) {
    const { created, dispute } = await findOrMake(verified, session);
    if (!created) return { created, dispute };
    if (!(await deps.keepIntent(session, verified.intentHash))) throw unknownIntent();
    await store.insert(session, dispute);
    const { reason } = dispute;
    await deps.writeEvent(session, 'dispute.created', { ...toEventData(dispute), reason });
    return { created, dispute };
  }

  /** Nobody can use up what a key may file but its owner: attempts are counted per key and client. */
  async function take(kind: keyof typeof limits, of: readonly string[], show: ShowLimit): Promise<void> {
    const state = await deps.limiter.take(limits[kind], [`dispute_${kind}`, ...of].join('|'));
    const { retryAfterSeconds: retryAfter } = state;
    if (kind !== 'anchor' || retryAfter !== undefined) show(state);
    if (retryAfter !== undefined) throw new ApiError('RATE_LIMITED', limits[kind].spent, { retryAfter });
  }

  /**
   * Files a dispute, or finds it filed (`created` is false). Refuses, in this order, with RATE_LIMITED (attempts),
   * UNKNOWN_INTENT, SIGNER_NOT_ENTITLED, ANCHOR_MISMATCH, INVALID_SIGNATURE, INTENT_UNRESOLVED, DISPUTE_WINDOW_CLOSED,
   * DISPUTE_EXISTS, RATE_LIMITED (unsupported disputes of the client, disputes of the key, unsupported ones of the anchor).
   */
  return async (
    body: FileDisputeBody,
    client: string,
    show: ShowLimit,
  ): Promise<{ created: boolean; answer: DisputeAnswer }> => {
    const { intentHash, anchorId, reason } = body;
    const { account, key: publicKey } = parsePublicKey(body.publicKey);
    await take('attempt', [account, client], show);
    const intent = await findIntent(intentHash);
    if (intent === null) throw unknownIntent();
    const party = await partyOf(intent, account, anchorId);
    const signature = Buffer.from(body.signature, 'base64');
    if (!verifyDispute({ signature, publicKey }, intentHash)) {
      const message = 'The signature does not verify for this intentHash and publicKey.';
      throw new ApiError('INVALID_SIGNATURE', message);
    }
    const id = disputeId(clock(), deps.newId());
    const verified = { id, intentHash, party, account, reason };
    const { created, dispute } = await oneAtATime(() => record(verified, client, show));
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
