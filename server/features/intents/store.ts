import { type Connection, Schema } from 'mongoose';
import { countUpTo, defineModel } from '../../mongo/models.js';
import type { IntentDocument } from './intent-document.js';

const text = { type: String, default: null };
const mixed = { type: Schema.Types.Mixed, default: null };

const intentSchema = new Schema<IntentDocument>(
  {
    _id: { type: String, required: true },
    anchorId: { type: String, required: true },
    corridor: { type: String, required: true },
    account: { type: String, required: true },
    sellAmount: { type: String, required: true },
    minReceive: text,
    deliveryMethod: text,
    createdAt: { type: Date, required: true },
    deadline: { type: Date, required: true },
    quote: mixed,
    corridorTerms: { type: Schema.Types.Mixed, required: true },
    status: { type: String, required: true },
    transactionId: { type: String },
    attachedAt: { type: Date, default: null },
    dialect: text,
    sightings: { type: Schema.Types.Mixed, required: true },
    amountIn: text,
    recoveredAt: { type: Date, default: null },
    callbacks: mixed,
    open: { type: Boolean, required: true },
    due: { type: Date, required: true },
    version: { type: Number, required: true },
    outcome: mixed,
    scored: { type: Boolean, required: true },
    unscoredReason: text,
    disputeEffect: text,
    unfolded: { type: Boolean, required: true },
    counted: mixed,
    admission: mixed,
  },
  { collection: 'intents', versionKey: false, minimize: false },
);
intentSchema.index(
  { anchorId: 1, transactionId: 1 },
  {
    unique: true,
    partialFilterExpression: { transactionId: { $type: 'string' } },
    name: 'one_intent_per_transaction',
  },
);
intentSchema.index(
  { anchorId: 1, due: 1 },
  { partialFilterExpression: { open: true }, name: 'open_by_anchor_and_turn' },
);
intentSchema.index({ unfolded: 1 }, { partialFilterExpression: { unfolded: true }, name: 'unfolded' });

export function intentModel(connection: Connection) {
  return defineModel<IntentDocument>(connection, 'Intent', intentSchema);
}

export type IntentModel = ReturnType<typeof intentModel>;

/** Intents whose change the folder has not counted yet, 100,000 at most. */
export function countUnfolded(model: IntentModel): Promise<number> {
  return countUpTo(model, { unfolded: true }, 'unfolded');
}
