import { Schema } from 'mongoose';
import type { Formula } from '../../../contract/verification/formulas.js';

/** Which of the data of reputation is in force: one document for each kind. */
export interface StateDocument {
  _id: 'rollups' | 'cards' | 'cards_v2' | 'accounts' | 'formula';
  /** Of the accounts: whether they were taken from the roll-ups. */
  filled?: boolean;
  generation?: number;
  run?: number;
  previousRun?: number | null;
  computedAt?: Date;
  previousComputedAt?: Date | null;
  standsStillSince?: Date | null;
  speedTargets?: Record<string, number>;
  /** Of the formula: the one that leads. */
  leads?: Formula;
}

export const stateSchema = new Schema<StateDocument>(
  {
    _id: { type: String, required: true },
    generation: Number,
    filled: Boolean,
    run: Number,
    previousRun: Number,
    computedAt: Date,
    previousComputedAt: Date,
    standsStillSince: Date,
    speedTargets: Schema.Types.Mixed,
    leads: String,
  },
  { collection: 'reputation_state', versionKey: false },
);
