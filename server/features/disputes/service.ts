import type { ClientSession } from 'mongoose';
import type {
  AdminDispute,
  DisputeAnswer,
  FileDisputeBody,
  ResolveDisputeBody,
} from '../../../contract/disputes.js';
import type { IntentDispute } from '../../../contract/intent-answer.js';
import { parsePublicKey } from '../../../contract/strkey.js';
import type { VerifyPool } from '../../crypto/verify-pool.js';
import { ApiError } from '../../errors.js';
import { isDuplicateKey } from '../../mongo/failures.js';
import type { InTransaction } from '../../mongo/transactions.js';
import { readCursor, readLimit, toPage } from '../../paging.js';
import type { Clock, Logger, NewId } from '../../ports.js';
import type { IntentDocument } from '../intents/intent-document.js';
import type { WriteEvent } from '../webhooks/outbox.js';
import { toAdminDispute, toDisputeAnswer, toIntentDispute } from './dispute-answer.rules.js';
import {
  type DisputedIntent,
  effectOf,
  entitledParty,
  isWithinWindow,
  type Party,
} from './entitlement.rules.js';
import type { DisputeLimits, ShowLimit } from './limits.js';
import type { DisputeModel, DisputeRecord } from './store.js';

export interface DisputeServiceDeps {
  model: DisputeModel;
  findIntent: (intentHash: string, session?: ClientSession) => Promise<IntentDocument | null>;
  applyDispute: (
    session: ClientSession,
    intentHash: string,
    effect: DisputeRecord['effect'],
  ) => Promise<boolean>;
  /** The key (G…) an anchor signs with, or null. */
  signingKeyOf: (anchorId: string) => Promise<string | null>;
  verify: VerifyPool['verify'];
  limits: DisputeLimits;
  inTransaction: InTransaction;
  writeEvent: WriteEvent;
  clock: Clock;
  newId: NewId;
  logger: Logger;
}

export interface DisputeList {
  status?: DisputeRecord['status'] | undefined;
  anchor?: string | undefined;
  limit?: string | undefined;
  cursor?: string | undefined;
}

export interface DisputeService {
  /**
   * Files a dispute, or finds it filed (`created` false). The order of refusals is UNKNOWN_INTENT,
   * SIGNER_NOT_ENTITLED, ANCHOR_MISMATCH, INVALID_SIGNATURE, INTENT_UNRESOLVED, DISPUTE_WINDOW_CLOSED,
   * DISPUTE_EXISTS; RATE_LIMITED comes before the first, or after the signature.
   */
  file(
    body: FileDisputeBody,
    client: string,
    show: ShowLimit,
  ): Promise<{ created: boolean; answer: DisputeAnswer }>;
  list(request: DisputeList): Promise<{ items: AdminDispute[]; nextCursor: string | null }>;
  /** Throws UNKNOWN_DISPUTE, DISPUTE_RESOLVED. */
  resolve(verdict: ResolveDisputeBody): Promise<AdminDispute>;
  /** The latest dispute of an intent, in short. */
  disputeOf(intentHash: string): Promise<IntentDispute | null>;
}

const idPattern = /^dsp_[0-9a-f]{44}$/;

export function createDisputeService(deps: DisputeServiceDeps): DisputeService {
  const { model, clock, inTransaction, writeEvent } = deps;

  async function file(body: FileDisputeBody, client: string, show: ShowLimit) {
    const { account, key } = parsePublicKey(body.publicKey);
    await deps.limits.takeAttempt(account, client, show);
    const intent = await deps.findIntent(body.intentHash);
    if (intent === null) throw new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
    const party = await partyOf(intent, account);
    if (intent.anchorId !== body.anchorId) {
      const message = 'is not the anchor of this intent';
      throw new ApiError('ANCHOR_MISMATCH', `anchorId ${message}.`, {
        details: [{ path: 'body.anchorId', message }],
      });
    }
    const signature = Buffer.from(body.signature, 'base64');
    if (!(await deps.verify({ signature, publicKey: key, intentHash: body.intentHash }))) {
      throw new ApiError(
        'INVALID_SIGNATURE',
        'The signature does not verify for this intentHash and publicKey.',
      );
    }
    await deps.limits.takePoint(account, body.intentHash, show);
    const filed = await findFiled(body.intentHash, party);
    if (filed !== null) return { created: false, answer: toDisputeAnswer(filed) };
    return record({ intentHash: body.intentHash, party, account, reason: body.reason });
  }

  async function partyOf(intent: IntentDocument, account: string): Promise<Party> {
    const anchorKey = account === intent.account ? null : await deps.signingKeyOf(intent.anchorId);
    const party = entitledParty(toDisputed(intent), account, anchorKey);
    if (party === null) throw new ApiError('SIGNER_NOT_ENTITLED', 'This key may not dispute this outcome.');
    return party;
  }

  function findFiled(intentHash: string, filedBy: Party): Promise<DisputeRecord | null> {
    return model.findOne({ intentHash, filedBy }).lean<DisputeRecord>();
  }

  async function record(dispute: NewDispute) {
    try {
      return { created: true, answer: toDisputeAnswer(await insert(dispute)) };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const filed = await findFiled(dispute.intentHash, dispute.party);
      if (filed === null) throw error;
      return { created: false, answer: toDisputeAnswer(filed) };
    }
  }

  /** Reads the intent again in the transaction: its outcome may have changed since the signer was let in. */
  function insert({ intentHash, party, account, reason }: NewDispute): Promise<DisputeRecord> {
    const now = clock();
    const id = `dsp_${now.toString(16).padStart(12, '0')}${deps.newId().slice(0, 32)}`;
    return inTransaction(async (session) => {
      const intent = await deps.findIntent(intentHash, session);
      if (intent === null) throw new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
      const outcome = await refuseUndisputable(intent, party, session);
      const createdAt = new Date(now);
      const dispute: DisputeRecord = {
        _id: id,
        intentHash,
        anchorId: intent.anchorId,
        corridor: intent.corridor,
        filedBy: party,
        publicKey: account,
        reason,
        status: 'open',
        outcomeStatus: outcome.kind,
        effect: effectOf(outcome),
        createdAt,
        resolvedAt: null,
        audit: [{ at: createdAt, action: 'filed', actor: account, note: null }],
      };
      await model.create([dispute], { session });
      await writeEvent(session, 'dispute.created', eventData(dispute));
      return dispute;
    });
  }

  async function refuseUndisputable(intent: IntentDocument, party: Party, session: ClientSession) {
    const disputed = toDisputed(intent);
    if (disputed.outcome === null) {
      throw new ApiError('INTENT_UNRESOLVED', 'The intent has no outcome yet.');
    }
    if (!isWithinWindow(disputed, clock())) {
      throw new ApiError('DISPUTE_WINDOW_CLOSED', 'The outcome is older than 30 days.');
    }
    const other = await model
      .findOne({ intentHash: intent._id, filedBy: { $ne: party }, status: 'open' }, { _id: 1 })
      .session(session)
      .lean();
    if (other !== null) throw new ApiError('DISPUTE_EXISTS', 'Another dispute of this intent is still open.');
    return disputed.outcome;
  }

  async function resolve({ id, action, note, actor }: ResolveDisputeBody): Promise<AdminDispute> {
    const status = action === 'accept' ? 'accepted' : 'rejected';
    const entry = {
      at: new Date(clock()),
      action: status,
      actor: actor ?? 'admin',
      note: note ?? null,
    } as const;
    const stands = await inTransaction(async (session) => {
      const decided = await model
        .findOneAndUpdate(
          { _id: id, status: 'open' },
          { $set: { status, resolvedAt: entry.at }, $push: { audit: entry } },
          { session, returnDocument: 'after' },
        )
        .lean<DisputeRecord>();
      if (decided === null) return model.findById(id).session(session).lean<DisputeRecord>();
      if (status === 'accepted') await deps.applyDispute(session, decided.intentHash, decided.effect);
      await writeEvent(session, 'dispute.resolved', eventData(decided));
      return decided;
    });
    if (stands === null) throw new ApiError('UNKNOWN_DISPUTE', 'No dispute has this id.');
    if (stands.status !== status) {
      throw new ApiError('DISPUTE_RESOLVED', `The dispute was ${stands.status} already.`);
    }
    deps.logger.info({ disputeId: id, status }, 'dispute decided');
    return toAdminDispute(stands);
  }

  return {
    file,
    resolve,
    async list({ status, anchor, ...page }) {
      const name = ['disputes', status ?? '*', anchor ?? '*'];
      const [before] = readCursor(page.cursor, name, [idPattern]) ?? [];
      const limit = readLimit(page.limit);
      const rows = await model
        .find({
          ...(status === undefined ? {} : { status }),
          ...(anchor === undefined ? {} : { anchorId: anchor }),
          ...(before === undefined ? {} : { _id: { $lt: before } }),
        })
        .sort({ _id: -1 })
        .limit(limit + 1)
        .lean<DisputeRecord[]>();
      const { items, nextCursor } = toPage(rows, limit, name, (last) => [last._id]);
      return { items: items.map(toAdminDispute), nextCursor };
    },
    async disputeOf(intentHash) {
      const [latest] = await model.find({ intentHash }).sort({ _id: -1 }).limit(1).lean<DisputeRecord[]>();
      return latest === undefined ? null : toIntentDispute(latest);
    },
  };
}

interface NewDispute {
  intentHash: string;
  party: Party;
  account: string;
  reason: string;
}

function toDisputed(intent: IntentDocument): DisputedIntent {
  return {
    account: intent.account,
    hasTransaction: intent.transactionId !== undefined,
    outcome: intent.outcome,
    recoveredAt: intent.recoveredAt,
  };
}

function eventData(dispute: DisputeRecord) {
  const { _id: disputeId, intentHash, anchorId, corridor, status } = dispute;
  return { disputeId, intentHash, anchorId, corridor, status };
}
