import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { AdminDispute } from '../../../contract/schemas/disputes.js';
import type { IntentDispute } from '../../../contract/schemas/intents.js';
import { countUpTo, defineModel } from '../../mongo/models.js';
import { findCurrent } from '../../mongo/refused-writes.js';
import type { Effect, Party } from './entitlement.rules.js';

/** A dispute as stored: one per party and intent, and at most one open per intent. */
export interface DisputeDocument {
  _id: string;
  intentHash: string;
  anchorId: string;
  corridor: string;
  filedBy: Party;
  /** Canonical `G…`. */
  publicKey: string;
  reason: string;
  status: AdminDispute['status'];
  outcomeStatus: AdminDispute['outcomeStatus'];
  /** How the outcome counts once the dispute is accepted; `effect` of an answer says what accepting actually changes. */
  effect: Effect;
  /** Absent where the anchor showed a record of the transaction, and from older disputes. */
  unsupported?: true;
  createdAt: Date;
  resolvedAt: Date | null;
  /** Only ever grows. */
  audit: AuditEntry[];
}

export interface AuditEntry {
  at: Date;
  action: AdminDispute['audit'][number]['action'];
  actor: string;
  note: string | null;
  evidence: string | null;
}

/** An admin's decision on a dispute, as its audit trail keeps it. */
export type Verdict = Required<AuditEntry> & { action: 'accepted' | 'rejected' };

/** How much of a dispute limit is used in its current window. */
export interface DisputeWindowDocument {
  _id: string;
  used: number;
  endsAt: Date;
}

export interface DisputeFilter {
  status?: DisputeDocument['status'] | undefined;
  unsupported?: boolean | undefined;
  anchorId?: string | undefined;
  intentHash?: string | undefined;
  id?: string | undefined;
}

/** A position in the list of disputes: after the dispute with this id, in the supported or the unsupported part. */
export interface DisputePlace {
  unsupported: boolean;
  id: string;
}

/** Every query of the disputes collection. */
export interface DisputeStore {
  /** For intents: a summary of the latest dispute of an intent. Concurrent calls are batched into one query. */
  disputeOf(intentHash: string): Promise<IntentDispute | null>;
  /** With a session, as that transaction sees it. */
  findById(session: ClientSession | null, id: string): Promise<DisputeDocument | null>;
  findByParty(intentHash: string, party: Party): Promise<DisputeDocument | null>;
  /** Like `findByParty`, after this dispute may just have refused another. */
  findCurrentByParty(intentHash: string, party: Party): Promise<DisputeDocument | null>;
  /** All disputes of an intent, as the transaction sees them. */
  listOfIntent(session: ClientSession, intentHash: string): Promise<DisputeDocument[]>;
  /** Returns the hashes among these whose intents have a dispute. */
  disputedAmong(intentHashes: readonly string[]): Promise<string[]>;
  /** Returns the hashes among these whose intents have an open dispute. */
  openAmong(intentHashes: readonly string[], session?: ClientSession): Promise<string[]>;
  /**
   * Gives the disputes of these intents the new hashes of their intents and removes all text that anybody wrote; where the
   * account signed, `instead` replaces it.
   */
  erase(
    session: ClientSession,
    renamed: ReadonlyMap<string, string>,
    names: { account: string; instead: string },
  ): Promise<void>;
  insert(session: ClientSession, dispute: DisputeDocument): Promise<void>;
  /** Gives an open dispute its verdict. Null where there is no open dispute of this id. */
  decide(session: ClientSession, id: string, verdict: Verdict): Promise<DisputeDocument | null>;
  /** Supported disputes before unsupported ones, newest first in each part; starts after the position `after`. */
  list(
    filter: DisputeFilter & { after?: DisputePlace | undefined; limit: number },
  ): Promise<DisputeDocument[]>;
  /** Disputes that await a verdict, 100,000 at most. */
  countOpen(): Promise<number>;
}

/** Every query of the windows in which disputes are counted. */
export interface DisputeWindowStore {
  /** With a session, as that transaction sees it. */
  find(key: string, session?: ClientSession): Promise<DisputeWindowDocument | null>;
  /** Counts one more in the window of this key; where none is running at `now`, a new one ends at `endOfNew`. */
  count(
    key: string,
    time: { now: Date; endOfNew: Date },
    session?: ClientSession,
  ): Promise<DisputeWindowDocument>;
}

const text = { type: String, required: true };
const date = { type: Date, required: true };

const auditSchema = new Schema<AuditEntry>(
  {
    at: date,
    action: text,
    actor: text,
    note: { type: String, default: null },
    evidence: { type: String, default: null },
  },
  { _id: false },
);

const disputeSchema = new Schema<DisputeDocument>(
  {
    _id: text,
    intentHash: text,
    anchorId: text,
    corridor: text,
    filedBy: text,
    publicKey: text,
    reason: text,
    status: text,
    outcomeStatus: text,
    effect: text,
    unsupported: { type: Boolean },
    createdAt: date,
    resolvedAt: { type: Date, default: null },
    audit: { type: [auditSchema], required: true },
  },
  { collection: 'disputes', versionKey: false },
);
disputeSchema.index({ intentHash: 1, filedBy: 1 }, { unique: true, name: 'one_a_party' });
disputeSchema.index(
  { intentHash: 1 },
  { unique: true, partialFilterExpression: { status: 'open' }, name: 'one_open_an_intent' },
);
const place = { unsupported: 1, _id: -1 } as const;
disputeSchema.index(place, { name: 'by_support' });
disputeSchema.index({ status: 1, ...place }, { name: 'by_status_and_support' });
disputeSchema.index({ anchorId: 1, ...place }, { name: 'by_anchor_and_support' });
disputeSchema.index({ anchorId: 1, status: 1, ...place }, { name: 'by_anchor_status_and_support' });

const windowSchema = new Schema<DisputeWindowDocument>(
  { _id: text, used: { type: Number, required: true }, endsAt: date },
  { collection: 'dispute_windows', versionKey: false },
);
windowSchema.index({ endsAt: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

const inShort = { intentHash: 1, status: 1, createdAt: 1, resolvedAt: 1 } as const;
type DisputeInShort = Pick<DisputeDocument, '_id' | keyof typeof inShort>;

function shortAnswer({ _id, status, createdAt, resolvedAt }: DisputeInShort): IntentDispute {
  return {
    disputeId: _id,
    status,
    createdAt: createdAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
  };
}

export function createDisputeStore(connection: Connection): DisputeStore {
  const model = defineModel<DisputeDocument>(connection, 'Dispute', disputeSchema);

  /** One part of the list, newest first, from below the id `before`. */
  function listPart(
    unsupported: boolean,
    { id, ...filter }: Omit<DisputeFilter, 'unsupported'>,
    before: string | undefined,
    limit: number,
  ): Promise<DisputeDocument[]> {
    const named = Object.entries(filter).filter(([, value]) => value !== undefined);
    return model
      .find({
        ...Object.fromEntries(named),
        // Null also matches the documents without it.
        unsupported: unsupported ? true : null,
        ...(id === undefined && before === undefined ? {} : { _id: idFilter(id, before) }),
      })
      .sort({ _id: -1 })
      .limit(limit)
      .lean<DisputeDocument[]>();
  }

  return {
    async disputeOf(intentHash) {
      const latest = await model
        .findOne({ intentHash })
        .select(inShort)
        .sort({ _id: -1 })
        .lean<DisputeInShort>();
      return latest === null ? null : shortAnswer(latest);
    },
    findById: (session, id) => model.findById(id).session(session).lean<DisputeDocument>(),
    findByParty: (intentHash, filedBy) => model.findOne({ intentHash, filedBy }).lean<DisputeDocument>(),
    findCurrentByParty: (intentHash, filedBy) => findCurrent(model, { intentHash, filedBy }),
    listOfIntent: (session, intentHash) =>
      model.find({ intentHash }).session(session).lean<DisputeDocument[]>(),
    disputedAmong: (intentHashes) =>
      model.distinct('intentHash', { intentHash: { $in: [...intentHashes] } }).exec(),
    openAmong: (intentHashes, session) =>
      model
        .distinct('intentHash', { intentHash: { $in: [...intentHashes] }, status: 'open' })
        .session(session ?? null)
        .exec(),
    async erase(session, renamed, { account, instead }) {
      if (renamed.size === 0) return;
      const ofIntents = { intentHash: { $in: [...renamed.keys()] } };
      const signed = { ...ofIntents, publicKey: account };
      const words = { reason: '', 'audit.$[].note': null, 'audit.$[].evidence': null };
      const ownEntries = { session, arrayFilters: [{ 'entry.actor': account }] };
      await model.updateMany(signed, { $set: { 'audit.$[entry].actor': instead } }, ownEntries);
      await model.updateMany(signed, { $set: { publicKey: instead } }, { session });
      await model.updateMany(ofIntents, { $set: words }, { session });
      for (const [before, intentHash] of renamed)
        await model.updateMany({ intentHash: before }, { $set: { intentHash } }, { session });
    },
    async insert(session, dispute) {
      await model.create([dispute], { session });
    },
    decide: (session, id, verdict) =>
      model
        .findOneAndUpdate(
          { _id: id, status: 'open' },
          { $set: { status: verdict.action, resolvedAt: verdict.at }, $push: { audit: verdict } },
          { session, returnDocument: 'after' },
        )
        .lean<DisputeDocument>(),
    async list({ unsupported, after, limit, ...filter }) {
      const wants = (part: boolean) => unsupported === undefined || unsupported === part;
      const isPast = after?.unsupported === true;
      const first = wants(false) && !isPast ? await listPart(false, filter, after?.id, limit) : [];
      if (!wants(true) || first.length === limit) return first;
      const before = isPast ? after.id : undefined;
      return [...first, ...(await listPart(true, filter, before, limit - first.length))];
    },
    countOpen: () => countUpTo(model, { status: 'open' }, 'by_status_and_support'),
  };
}

export function createDisputeWindowStore(connection: Connection): DisputeWindowStore {
  const model = defineModel<DisputeWindowDocument>(connection, 'DisputeWindow', windowSchema);
  return {
    find: (key, session) =>
      model
        .findById(key)
        .session(session ?? null)
        .lean<DisputeWindowDocument>(),
    count(key, { now, endOfNew }, session) {
      const running = { $gt: ['$endsAt', now] };
      const used = { $cond: [running, { $add: ['$used', 1] }, 1] };
      const endsAt = { $cond: [running, '$endsAt', endOfNew] };
      return model
        .findOneAndUpdate({ _id: key }, [{ $set: { used, endsAt } }], {
          upsert: true,
          returnDocument: 'after',
        })
        .session(session ?? null)
        .orFail()
        .lean<DisputeWindowDocument>();
    },
  };
}

function idFilter(id: string | undefined, before: string | undefined) {
  return { ...(id === undefined ? {} : { $eq: id }), ...(before === undefined ? {} : { $lt: before }) };
}
