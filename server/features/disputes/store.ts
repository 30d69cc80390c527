import { type Connection, Schema } from 'mongoose';
import type { AdminDispute } from '../../../contract/schemas/disputes.js';
import { countUpTo, defineModel } from '../../mongo/models.js';
import type { Effect, Party } from './entitlement.rules.js';

/** A dispute as stored: one a party and intent, and of one intent one open at a time. */
export interface DisputeRecord {
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
  effect: Effect;
  createdAt: Date;
  resolvedAt: Date | null;
  /** Only ever pushed to. */
  audit: { at: Date; action: AdminDispute['audit'][number]['action']; actor: string; note: string | null }[];
}

/** How much of the dispute limit is used in its present window: by a key, or by a client with a key. */
export interface DisputeWindow {
  _id: string;
  used: number;
  endsAt: Date;
}

const auditSchema = new Schema<DisputeRecord['audit'][number]>(
  {
    at: { type: Date, required: true },
    action: { type: String, required: true },
    actor: { type: String, required: true },
    note: { type: String, default: null },
  },
  { _id: false },
);

const disputeSchema = new Schema<DisputeRecord>(
  {
    _id: { type: String, required: true },
    intentHash: { type: String, required: true },
    anchorId: { type: String, required: true },
    corridor: { type: String, required: true },
    filedBy: { type: String, required: true },
    publicKey: { type: String, required: true },
    reason: { type: String, required: true },
    status: { type: String, required: true },
    outcomeStatus: { type: String, required: true },
    effect: { type: String, required: true },
    createdAt: { type: Date, required: true },
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
disputeSchema.index({ status: 1, _id: -1 }, { name: 'by_status' });
disputeSchema.index({ anchorId: 1, _id: -1 }, { name: 'by_anchor' });
disputeSchema.index({ anchorId: 1, status: 1, _id: -1 }, { name: 'by_anchor_and_status' });

const windowSchema = new Schema<DisputeWindow>(
  {
    _id: { type: String, required: true },
    used: { type: Number, required: true },
    endsAt: { type: Date, required: true },
  },
  { collection: 'dispute_windows', versionKey: false },
);
windowSchema.index({ endsAt: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function disputeModel(connection: Connection) {
  return defineModel(connection, 'Dispute', disputeSchema);
}

export function disputeWindowModel(connection: Connection) {
  return defineModel(connection, 'DisputeWindow', windowSchema);
}

export type DisputeModel = ReturnType<typeof disputeModel>;
export type DisputeWindowModel = ReturnType<typeof disputeWindowModel>;

/** Disputes that await a verdict, 100,000 at most. */
export function countOpenDisputes(model: DisputeModel): Promise<number> {
  return countUpTo(model, { status: 'open' }, 'by_status');
}
