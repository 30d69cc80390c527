import { type Connection, Schema } from 'mongoose';
import { defineModel } from './models.js';

/** A lease as stored. */
export interface LeaseRow {
  _id: string;
  owner: string | null;
  /** Grows with every acquisition: the fencing token. */
  token: number;
  acquiredAt: Date | null;
  expiresAt: Date;
  fences: number;
}

/** One holding of a lease; `token` grows with each. */
export interface LeaseTerm {
  readonly name: string;
  readonly token: number;
}

const leaseSchema = new Schema<LeaseRow>(
  {
    _id: { type: String, required: true },
    owner: { type: String, default: null },
    token: { type: Number, required: true },
    acquiredAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
    fences: { type: Number, required: true },
  },
  { collection: 'leases', versionKey: false },
);

export function leaseModel(connection: Connection) {
  return defineModel(connection, 'Lease', leaseSchema);
}
