import { type ClientSession, type Connection, Schema } from 'mongoose';
import type { AnchorEndpoints } from '../../../contract/anchor-documents/stellar-toml.js';
import { defineModel } from '../../mongo/models.js';
import { findCurrent } from '../../mongo/refused-writes.js';

/** An anchor that is or was in the fleet. It is never deleted, so that its data stays readable. */
export interface AnchorDocument {
  /** The anchor id. */
  _id: string;
  name: string;
  note: string | null;
  simulated: boolean;
  homeDomain: string | null;
  /** The corridors of its last listing. */
  corridors: { corridor: string; deliveryMethods: string[] }[];
  /** Whether it is in the fleet file now. */
  listed: boolean;
  onboardedAt: Date;
  delistedAt: Date | null;
  /** The first key that it ever showed (G…); an id never moves to another key. */
  signingKey: string | null;
  /** The other key that it shows now, if it is refused for that. */
  refusedKey: string | null;
  /** The last content of its stellar.toml, so that a restart does not wait for it. */
  endpoints: AnchorEndpoints | null;
  discoveredAt: Date | null;
  /** The cache version under which they were read. Absent where an earlier release stored them. */
  cacheVersion?: number;
}

const text = { type: String, default: null };

const anchorSchema = new Schema<AnchorDocument>(
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
    cacheVersion: Number,
  },
  { collection: 'anchors', versionKey: false },
);

/** The data of an anchor in the fleet file, which may change at every start. */
export type AnchorListing = Pick<AnchorDocument, 'name' | 'note' | 'simulated' | 'homeDomain' | 'corridors'>;

/** What a reading of an anchor's stellar.toml gave. */
export interface AnchorReading {
  /** The home domain that it was read from. */
  homeDomain: string | null;
  /** The cache version when the reading began. */
  cacheVersion: number;
  endpoints: AnchorEndpoints;
  /** The key that the anchor is refused for; null if it is not refused, undefined if it showed no key. */
  refusedKey: string | null | undefined;
}

/** The anchors of the fleet file, past and present. */
export interface AnchorStore {
  find(id: string): Promise<AnchorDocument | null>;
  findMany(ids: readonly string[]): Promise<AnchorDocument[]>;
  /**
   * A page ordered by id, starting after `afterId`. One more than `limit` is returned if more follow. With `corridor`, only
   * anchors that serve it now.
   */
  page(query: {
    corridor: string | undefined;
    afterId: string | undefined;
    limit: number;
  }): Promise<AnchorDocument[]>;
  knownIds(): Promise<Set<string>>;
  /** False if the id is known already. Among concurrent inserts, all but one reject with E11000. */
  insertIfNew(anchor: AnchorDocument, session: ClientSession): Promise<boolean>;
  /** Stores the data of the fleet file and marks the anchors as listed. A new home domain clears the old one's addresses. */
  list(listings: readonly ({ id: string } & AnchorListing)[]): Promise<void>;
  /** Delists every anchor except these; returns how many were listed until now. */
  delistOthers(ids: readonly string[], at: Date): Promise<number>;
  signingKeyOf(id: string): Promise<string | null>;
  /**
   * Stores the first key of an anchor, unless it is listed with another home domain now. Returns the key that counts:
   * another instance may have stored one before.
   */
  adoptSigningKey(id: string, key: string, homeDomain: string | null): Promise<string>;
  setRefusedKey(id: string, key: string | null): Promise<void>;
  /** Stores a reading, unless the anchor is listed with another home domain now: this instance has an old fleet file then. */
  keepReading(id: string, reading: AnchorReading, at: Date): Promise<void>;
}

export function createAnchorStore(connection: Connection): AnchorStore {
  const model = defineModel(connection, 'Anchor', anchorSchema);

  async function signingKeyOf(id: string): Promise<string | null> {
    const found = await model.findById(id, { signingKey: 1 }).lean<Pick<AnchorDocument, 'signingKey'>>();
    return found?.signingKey ?? null;
  }

  return {
    find: (id) => model.findById(id).lean<AnchorDocument>(),
    findMany: (ids) => model.find({ _id: { $in: ids } }).lean<AnchorDocument[]>(),
    page({ corridor, afterId, limit }) {
      const serving =
        corridor === undefined ? {} : { listed: true, refusedKey: null, 'corridors.corridor': corridor };
      const after = afterId === undefined ? {} : { _id: { $gt: afterId } };
      return model
        .find({ ...serving, ...after })
        .sort({ _id: 1 })
        .limit(limit + 1)
        .lean<AnchorDocument[]>();
    },
    async knownIds() {
      const found = await model.find({}, { _id: 1 }).lean();
      return new Set(found.map(({ _id }) => _id));
    },
    async insertIfNew(anchor, session) {
      const found = await model.findById(anchor._id, { _id: 1 }, { session }).lean();
      if (found !== null) return false;
      await model.create([anchor], { session });
      return true;
    },
    async list(listings) {
      await model.bulkWrite(
        listings.flatMap(({ id, ...listing }) => [
          {
            updateOne: {
              filter: { _id: id, homeDomain: { $ne: listing.homeDomain } },
              update: { $set: { endpoints: null, discoveredAt: null } },
            },
          },
          {
            updateOne: {
              filter: { _id: id },
              update: { $set: { ...listing, listed: true, delistedAt: null } },
            },
          },
        ]),
      );
    },
    async delistOthers(ids, at) {
      const delisted = await model.updateMany(
        { listed: true, _id: { $nin: ids } },
        { $set: { listed: false, delistedAt: at } },
      );
      return delisted.modifiedCount;
    },
    signingKeyOf,
    async adoptSigningKey(id, key, homeDomain) {
      const adopted = await model.updateOne(
        { _id: id, homeDomain, signingKey: null },
        { $set: { signingKey: key } },
      );
      if (adopted.matchedCount > 0) return key;
      return (await findCurrent(model, { _id: id }))?.signingKey ?? key;
    },
    async setRefusedKey(id, key) {
      await model.updateOne({ _id: id }, { $set: { refusedKey: key } });
    },
    async keepReading(id, { homeDomain, refusedKey, ...read }, at) {
      const decision = refusedKey === undefined ? {} : { refusedKey };
      await model.updateOne({ _id: id, homeDomain }, { $set: { ...read, discoveredAt: at, ...decision } });
    },
  };
}
