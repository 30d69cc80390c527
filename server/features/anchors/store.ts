import { type Connection, Schema } from 'mongoose';
import { defineModel } from '../../mongo/models.js';
import type { AnchorEndpoints } from './sep1.rules.js';

/** An anchor that is or was in the fleet. Never deleted: its record stays readable. */
export interface AnchorRecord {
  /** The anchor id. */
  _id: string;
  name: string;
  note: string | null;
  simulated: boolean;
  homeDomain: string | null;
  /** As it last served them. */
  corridors: { corridor: string; deliveryMethods: string[] }[];
  /** In the fleet file now. */
  listed: boolean;
  onboardedAt: Date;
  delistedAt: Date | null;
  /** The first key ever seen of it (G…); an id never moves to another. */
  signingKey: string | null;
  /** Another key that it shows now and that keeps it from being served. */
  refusedKey: string | null;
  /** What its stellar.toml said last, so that a restart need not wait for it. */
  endpoints: AnchorEndpoints | null;
  discoveredAt: Date | null;
}

const text = { type: String, default: null };

const anchorSchema = new Schema<AnchorRecord>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    note: text,
    simulated: { type: Boolean, required: true },
    homeDomain: text,
    corridors: [
      {
        _id: false,
        corridor: { type: String, required: true },
        deliveryMethods: { type: [String], required: true },
      },
    ],
    listed: { type: Boolean, required: true },
    onboardedAt: { type: Date, required: true },
    delistedAt: { type: Date, default: null },
    signingKey: text,
    refusedKey: text,
    endpoints: { type: Schema.Types.Mixed, default: null },
    discoveredAt: { type: Date, default: null },
  },
  { collection: 'anchors', versionKey: false },
);

export function anchorModel(connection: Connection) {
  return defineModel(connection, 'Anchor', anchorSchema);
}

export type AnchorModel = ReturnType<typeof anchorModel>;

/** A page of anchors by id, after `afterId`; one more than `limit`, if there is one, tells that more follow. */
export async function findAnchors(
  model: AnchorModel,
  query: { corridor: string | undefined; afterId: string | undefined; limit: number },
): Promise<AnchorRecord[]> {
  const serving =
    query.corridor === undefined
      ? {}
      : { listed: true, refusedKey: null, 'corridors.corridor': query.corridor };
  const after = query.afterId === undefined ? {} : { _id: { $gt: query.afterId } };
  return model
    .find({ ...serving, ...after })
    .sort({ _id: 1 })
    .limit(query.limit + 1)
    .lean<AnchorRecord[]>();
}
