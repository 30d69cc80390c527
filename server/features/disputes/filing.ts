import type { ClientSession } from 'mongoose';
import type { DisputeAnswer, FileDisputeBody } from '../../../contract/schemas/disputes.js';
import { parsePublicKey } from '../../../contract/verification/strkey.js';
import type { VerifyPool } from '../../crypto/verify-pool.js';
import type { Emit } from '../../deliveries/deliveries.js';
import { ApiError } from '../../errors.js';
import type { RateLimitState } from '../../http/rate-limiter.js';
import type { InTransaction } from '../../mongo/transactions.js';
import type { Clock, NewId } from '../../ports.js';
import type { IntentDocument } from '../intents/intent-document.js';
import { toDisputeAnswer, toEventData } from './dispute-answer.rules.js';
import { entitledParty, isWithinWindow, mayDispute, type Party } from './entitlement.rules.js';
import { createFewAtOnce } from './few-at-once.js';
import { type DisputeLimits, refuseKeyIfSpent, type ShowLimit } from './limits.js';
import { newDispute } from './new-dispute.rules.js';
import type { DisputeModel, DisputeRecord } from './store.js';

/** Disputes are rare: what comes faster than two at a time is a flood, and must not hold up anything else. */
const floodBounds = { atOnce: 2, maxWaiting: 256, maxWaitMs: 5_000 };

export interface FilingDeps {
  model: DisputeModel;
  findIntent: (intentHash: string, session?: ClientSession) => Promise<IntentDocument | null>;
  /** The key (G…) an anchor signs with, or null. */
  signingKeyOf: (anchorId: string) => Promise<string | null>;
  verify: VerifyPool['verify'];
  limits: DisputeLimits;
  inTransaction: InTransaction;
  writeEvent: Emit;
  clock: Clock;
  newId: NewId;
}

/**
 * Files a dispute, or finds it filed (`created` false). The order of refusals is RATE_LIMITED (attempts),
 * UNKNOWN_INTENT, SIGNER_NOT_ENTITLED, ANCHOR_MISMATCH, INVALID_SIGNATURE, RATE_LIMITED (the key's disputes),
 * INTENT_UNRESOLVED, DISPUTE_WINDOW_CLOSED, DISPUTE_EXISTS.
 */
export type FileDispute = (body: FileDisputeBody, client: string, show: ShowLimit) => Promise<FiledDispute>;

export interface FiledDispute {
  created: boolean;
  answer: DisputeAnswer;
}

interface NewDispute {
  intentHash: string;
  party: Party;
  account: string;
  reason: string;
}

interface Recorded {
  created: boolean;
  recorded: DisputeRecord;
  /** Where it was created: what is left to the key. */
  left?: RateLimitState;
}

export function createFileDispute(deps: FilingDeps): FileDispute {
  const { model, findIntent, signingKeyOf, verify, limits, inTransaction, writeEvent, clock, newId } = deps;
  const fewAtOnce = createFewAtOnce({ ...floodBounds, clock });

  /** The party that signs, once all is known of it but the signature. */
  async function partyOf(intent: IntentDocument, account: string, anchorId: string): Promise<Party> {
    const party = entitledParty(intent, account, await signingKeyOf(intent.anchorId));
    if (party === null) throw notEntitled();
    if (intent.anchorId === anchorId) return party;
    const message = 'is not the anchor of this intent';
    throw new ApiError('ANCHOR_MISMATCH', `body.anchorId: ${message}`, {
      details: [{ path: 'body.anchorId', message }],
    });
  }

  async function record(dispute: NewDispute, show: ShowLimit): Promise<FiledDispute> {
    const id = `dsp_${clock().toString(16).padStart(12, '0')}${newId().slice(0, 24)}`;
    const { created, recorded, left } = await inTransaction((session) => readOrInsert(session, id, dispute));
    if (left !== undefined) show(left);
    return { created, answer: toDisputeAnswer(recorded) };
  }

  /**
   * Reads all again in the transaction: the outcome may have changed since the signer was let in. Where another inserts
   * the same dispute at once, the unique index is a write conflict, on which the transaction starts over and reads it.
   */
  async function readOrInsert(session: ClientSession, id: string, dispute: NewDispute): Promise<Recorded> {
    const { intentHash, party, account, reason } = dispute;
    const known = await model.find({ intentHash }).session(session).lean<DisputeRecord[]>();
    const filed = known.find(({ filedBy }) => filedBy === party);
    if (filed !== undefined) return { created: false, recorded: filed };
    const intent = await findIntent(intentHash, session);
    if (intent === null) throw unknownIntent();
    if (!mayDispute(party, intent)) throw notEntitled();
    const now = new Date(clock());
    const outcome = disputableOutcome(intent, now);
    if (known.some(({ status }) => status === 'open')) {
      throw new ApiError('DISPUTE_EXISTS', 'Another dispute of this intent is still open.');
    }
    const recorded = newDispute({ id, intent, outcome, party, account, reason, now });
    await model.create([recorded], { session });
    const left = await limits.takePoint(session, account);
    await writeEvent(session, 'dispute.created', toEventData(recorded));
    return { created: true, recorded, left };
  }

  async function file(body: FileDisputeBody, client: string, show: ShowLimit): Promise<FiledDispute> {
    const { intentHash, anchorId, reason } = body;
    const { account, key: publicKey } = parsePublicKey(body.publicKey);
    await limits.takeAttempt(account, client, show);
    const intent = await findIntent(intentHash);
    if (intent === null) throw unknownIntent();
    const party = await partyOf(intent, account, anchorId);
    const signature = Buffer.from(body.signature, 'base64');
    if (!(await verify({ signature, publicKey, intentHash }))) {
      const message = 'The signature does not verify for this intentHash and publicKey.';
      throw new ApiError('INVALID_SIGNATURE', message);
    }
    const left = await limits.pointsLeft(account);
    show(left);
    const filed = await model.findOne({ intentHash, filedBy: party }).lean<DisputeRecord>();
    if (filed !== null) return { created: false, answer: toDisputeAnswer(filed) };
    refuseKeyIfSpent(left);
    return record({ intentHash, party, account, reason }, show);
  }

  return (body, client, show) => fewAtOnce(() => file(body, client, show));
}

function disputableOutcome(intent: IntentDocument, now: Date) {
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
