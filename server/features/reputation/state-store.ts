import { Schema } from 'mongoose';
import type { Formula } from '../../../contract/verification/formulas.js';

/** The state of the reputation's data, such as what is in force; one document per kind. */
export interface StateDocument {
  _id: 'rollups' | 'cards' | 'cards_v2' | 'accounts' | 'formula';
  /** For `accounts`: whether they were filled from the roll-ups. */
  filled?: boolean;
  generation?: number;
  run?: number;
  previousRun?: number | null;
  computedAt?: Date;
  previousComputedAt?: Date | null;
  standsStillSince?: Date | null;
  speedTargets?: Record<string, number>;
  /** For `formula`: the leading formula. */
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
