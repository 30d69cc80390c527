import { randomBytes } from 'node:crypto';
import type { mongo } from 'mongoose';
import type { CapacityWorld } from './world.js';

/** The average size of one document. */
export interface Stored {
  collection: string;
  /** How many documents the averages are over. */
  documents: number;
  bsonBytes: number;
  /** On disk, with MongoDB's default compression. */
  diskBytes: number;
  /** Size of all indexes. */
  indexBytes: number;
}

const copies = 5_000;
const taken = 500;
const atOnce = 500;
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

type Document = Record<string, unknown>;

/**
 * Fills collections of another database, which have the same indexes, with documents like those that the service has stored:
 * random values in them (hashes, ids, keys) are random in each copy. After a checkpoint, MongoDB reports their sizes.
 */
export async function measureStored({ connection }: CapacityWorld, signal: AbortSignal): Promise<Stored[]> {
  const client = connection.getClient();
  const source = client.db(connection.name);
  const target = client.db(`${connection.name}_stored`);
  const measured: Stored[] = [];
  const names = (await source.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .sort();
  for (const name of names) {
    signal.throwIfAborted();
    const samples = await source.collection<Document>(name).find().limit(taken).toArray();
    if (samples.length === 0) continue;
    const collection = await target.createCollection<Document>(name);
    const indexes = await source.collection(name).indexes();
    // No copy may expire while it is measured.
    for (const { v: _, key, expireAfterSeconds: __, ...options } of indexes)
      if (options.name !== '_id_') await collection.createIndex(key, options as mongo.CreateIndexesOptions);
    for (let made = 0; made < copies; made += atOnce) {
      const documents = Array.from({ length: atOnce }, (_, place) =>
        copyOf(samples[(made + place) % samples.length] as Document, made + place),
      );
      // In small collections, a few copies may violate a unique index.
      await collection
        .insertMany(documents, { ordered: false, timeoutMS: 30_000 })
        .catch((error: unknown) => {
          if (!String(error).includes('E11000')) throw error;
        });
    }
    await client.db('admin').command({ fsync: 1 }, { timeoutMS: 30_000 });
    const { count, size, storageSize, totalIndexSize } = await target.command({ collStats: name });
    measured.push({
      collection: name,
      documents: count,
      bsonBytes: size / count,
      diskBytes: storageSize / count,
      indexBytes: totalIndexSize / count,
    });
  }
  return measured;
}

function copyOf(document: Document, number: number): Document {
  // If two members have the same random value, so do their copies.
  const instead = new Map<string, string>();
  const copied = copy(document, instead) as Document;
  if (typeof document._id === 'number') return { ...copied, _id: number + 1 };
  const isSame = typeof document._id === 'string' && copied._id === document._id;
  return isSame ? { ...copied, _id: `${document._id} ${number}` } : copied;
}

function copy(value: unknown, instead: Map<string, string>): unknown {
  if (typeof value === 'string')
    return value.replace(/[0-9a-f]{16,}|[A-Z2-7]{40,}/g, (text) => other(text, instead));
  if (Array.isArray(value)) return value.map((each) => copy(each, instead));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each, instead)]));
}

function other(text: string, instead: Map<string, string>): string {
  const known = instead.get(text);
  if (known !== undefined) return known;
  const random = randomBytes(text.length);
  const made = /^[0-9a-f]+$/.test(text)
    ? random.toString('hex').slice(0, text.length)
    : [...random].map((byte) => base32[byte % base32.length]).join('');
  instead.set(text, made);
  return made;
}
