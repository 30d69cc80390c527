import type { ClientSession, Connection } from 'mongoose';
import { defineModel, typedSchema } from '../../mongo/models.js';
import { findCurrent } from '../../mongo/transactions.js';
import type { FleetAnchor } from './fleet-file.rules.js';

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
}

const anchorSchema = typedSchema<AnchorDocument>('anchors');

export type AnchorStore = ReturnType<typeof createAnchorStore>;

/** The anchors of the fleet file, past and present. */
export function createAnchorStore(connection: Connection) {
  const model = defineModel(connection, 'Anchor', anchorSchema);

  return {
    find: (id: string) => model.findById(id).lean<AnchorDocument | null>().exec(),
    /** Ordered by id. */
    findAll: () => model.find().sort({ _id: 1 }).lean<AnchorDocument[]>().exec(),
    findMany: (ids: readonly string[]) =>
      model
        .find({ _id: { $in: ids } })
        .lean<AnchorDocument[]>()
        .exec(),
    /**
     * A page ordered by id, starting after `afterId`. One more than `limit` is returned if more follow. With `corridor`,
     * only anchors that serve it now.
     */
    page(query: { corridor: string | undefined; afterId: string; limit: number }) {
      const { corridor, afterId, limit } = query;
      const serving =
        corridor === undefined ? {} : { listed: true, refusedKey: null, 'corridors.corridor': corridor };
      return model
        .find({ ...serving, _id: { $gt: afterId } })
        .sort({ _id: 1 })
        .limit(limit + 1)
        .lean<AnchorDocument[]>()
        .exec();
    },
    /** Stores an anchor that was not in the fleet before. Rejects with E11000 if the id is known already. */
    async insert(anchor: FleetAnchor, onboardedAt: Date, session: ClientSession): Promise<void> {
      const signingKey = anchor.endpoints?.signingKey ?? null;
      const document = { _id: anchor.id, ...toListing(anchor), onboardedAt, signingKey, refusedKey: null };
      await model.create([document], { session });
    },
    /** Stores the data of the fleet file. */
    async list(anchors: readonly FleetAnchor[]): Promise<void> {
      await model.bulkWrite(
        anchors.map((anchor) => ({
          updateOne: { filter: { _id: anchor.id }, update: { $set: toListing(anchor) } },
        })),
      );
    },
    /** Delists every anchor except these; returns how many were listed until now. */
    async delistOthers(ids: readonly string[], at: Date): Promise<number> {
      const others = { listed: true, _id: { $nin: ids } };
      const delisted = await model.updateMany(others, { $set: { listed: false, delistedAt: at } });
      return delisted.modifiedCount;
    },
    async signingKeyOf(id: string): Promise<string | null> {
      const found = await model.findById(id, { signingKey: 1 }).lean<Pick<AnchorDocument, 'signingKey'>>();
      return found?.signingKey ?? null;
    },
    /**
     * Stores the first key of an anchor, unless it is listed with another home domain now. Returns the key that counts:
     * another instance may have stored one before.
     */
    async adoptSigningKey(id: string, key: string, homeDomain: string | null): Promise<string> {
      const adopting = { _id: id, homeDomain, signingKey: null };
      const adopted = await model.updateOne(adopting, { $set: { signingKey: key } });
      if (adopted.matchedCount > 0) return key;
      return (await findCurrent(model, { _id: id }))?.signingKey ?? key;
    },
    /** Stores the other key that an anchor is refused for, or that it is not. */
    async setRefusedKey(id: string, key: string | null): Promise<void> {
      await model.updateOne({ _id: id }, { $set: { refusedKey: key } });
    },
  };
}

/** The data of an anchor in the fleet file, which may change at every start. */
function toListing({ name, note, simulated, homeDomain, corridors }: FleetAnchor) {
  return {
    name,
    note: note ?? null,
    simulated,
    homeDomain: homeDomain ?? null,
    corridors: corridors
      .map(({ id, deliveryMethods }) => ({ corridor: id, deliveryMethods }))
      .sort((a, b) => (a.corridor < b.corridor ? -1 : 1)),
    listed: true,
    delistedAt: null,
  };
}
