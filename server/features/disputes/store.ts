import type { ClientSession, Connection } from 'mongoose';
import type { AdminDispute } from '../../../contract/schemas/disputes.js';
import type { IntentDispute } from '../../../contract/schemas/intents.js';
import { collectionOf, countUpTo, defineModel, typedSchema } from '../../mongo/models.js';
import { toInstant } from '../../ports.js';
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
  /** Whether the anchor never showed a record of the transaction. */
  unsupported: boolean;
  createdAt: Date;
  resolvedAt: Date | null;
  /** Only ever grows. */
  audit: AuditEntry[];
}

interface AuditEntry {
  at: Date;
  action: AdminDispute['audit'][number]['action'];
  actor: string;
  note: string | null;
  evidence: string | null;
}

/** An admin's decision on a dispute, as its audit trail keeps it. */
export type Verdict = AuditEntry & { action: 'accepted' | 'rejected' };

/** Which disputes a list has; what is undefined does not matter. */
export type DisputeFilter = {
  [Name in '_id' | 'status' | 'unsupported' | 'anchorId' | 'intentHash']: DisputeDocument[Name] | undefined;
};

/** A place in the list of disputes. */
export type DisputePlace = Pick<DisputeDocument, '_id' | 'unsupported'>;

const disputeSchema = typedSchema<DisputeDocument>('disputes');
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

export type DisputeStore = ReturnType<typeof createDisputeStore>;

/** Every query of the disputes. With a session, as that transaction sees it. */
export function createDisputeStore(connection: Connection) {
  const model = defineModel<DisputeDocument>(connection, 'Dispute', disputeSchema);
  const disputes = collectionOf(connection, 'Dispute', disputeSchema);
  const among = (hashes: readonly string[]) => ({ intentHash: { $in: [...hashes] } });

  return {
    /** For intents: a summary of the latest dispute of an intent. */
    async disputeOf(intentHash: string): Promise<IntentDispute | null> {
      const latest = await disputes.findOne({ intentHash }, { sort: { _id: -1 } });
      if (latest === null) return null;
      const { _id: disputeId, status, createdAt, resolvedAt } = latest;
      return {
        disputeId,
        status,
        createdAt: toInstant(createdAt),
        resolvedAt: resolvedAt && toInstant(resolvedAt),
      };
    },

    findById: (_id: string, session?: ClientSession) => disputes.findOne({ _id }, session && { session }),

    listOfIntent: (intentHash: string, session?: ClientSession) =>
      disputes.find({ intentHash }, session && { session }).toArray(),

    /** The hashes among these whose intents have an open dispute. */
    openAmong: (hashes: readonly string[], session?: ClientSession) =>
      disputes.distinct('intentHash', { ...among(hashes), status: 'open' }, { ...(session && { session }) }),

    /** Deletes the disputes of these intents, which are erased. */
    removeOf: (session: ClientSession, hashes: readonly string[]) =>
      disputes.deleteMany(among(hashes), { session }),

    insert: (session: ClientSession, dispute: DisputeDocument) => disputes.insertOne(dispute, { session }),

    /** Gives an open dispute its verdict. Null where there is no open dispute of this id. */
    decide: (session: ClientSession, id: string, verdict: Verdict) =>
      disputes.findOneAndUpdate(
        { _id: id, status: 'open' },
        { $set: { status: verdict.action, resolvedAt: verdict.at }, $push: { audit: verdict } },
        { session, returnDocument: 'after' },
      ),

    /** Supported disputes before unsupported ones, newest first in each part; those behind the place `after`. */
    list(filter: DisputeFilter, after: DisputePlace | undefined, limit: number): Promise<DisputeDocument[]> {
      const named = Object.entries(filter).filter(([, value]) => value !== undefined);
      const behind = after && [
        { unsupported: after.unsupported, _id: { $lt: after._id } },
        ...(after.unsupported ? [] : [{ unsupported: true }]),
      ];
      return disputes
        .find({ ...Object.fromEntries(named), ...(behind && { $or: behind }) })
        .sort(place)
        .limit(limit)
        .toArray();
    },

    /** Disputes that await a verdict, 100,000 at most. */
    countOpen: () => countUpTo(model, { status: 'open' }, 'by_status_and_support'),
  };
}
