import { type Connection, Schema, Types } from 'mongoose';
import { defineModel } from '../mongo/models.js';

const maxKeysOfBatch = 200;
/** After an election the time of the database may be a little behind. */
export const clockToleranceMs = 5_000;

interface LimitWindow {
  _id: string;
  points: number;
  /** For each instance, the value of `points` after its latest increment. */
  by: Record<string, number>;
  expire: Date;
}

const limitWindowSchema = new Schema<LimitWindow>(
  {
    _id: { type: String, required: true },
    points: { type: Number, required: true },
    by: { type: Schema.Types.Mixed, required: true },
    expire: { type: Date, required: true },
  },
  { collection: 'limit_windows', versionKey: false },
);
limitWindowSchema.index({ expire: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function limitWindowModel(connection: Connection) {
  return defineModel(connection, 'LimitWindow', limitWindowSchema);
}

/** `leftMs` is computed when a window is read. */
type AfterCount = Pick<LimitWindow, '_id' | 'by' | 'expire'> & { leftMs: number };

/** A key's count right after one request's own point, and the end of its window. No two requests get the same count. */
export interface Counted {
  points: number;
  expire: Date;
  /** Until then, by the database's clock. */
  leftMs: number;
}

/** Takes one point from a key; the first one starts its window. */
export type CountPoint = (key: string, windowMs: number) => Promise<Counted>;

interface Waiting {
  resolve(counted: Counted): void;
  reject(error: unknown): void;
}

interface KeyOfBatch {
  windowMs: number;
  waiting: Waiting[];
}

type Batch = ReadonlyMap<string, KeyOfBatch>;

/**
 * Counts in MongoDB, for all instances together. Requests that arrive while a batch is being sent make up the next one:
 * one update and one query serve all of them, and each key is incremented once, by the number of its requests. The
 * figures are in docs/adr/0005.
 *
 * Other instances may count between the update and the query. Each update therefore also stores the count that it
 * reached under the instance's own name, so that every request gets its own number and never that of another.
 * `guard` runs each batch under its time limit and breaker; if it rejects, so do all waiting requests.
 */
export function createCountPoint(deps: {
  connection: Connection;
  guard: <T>(work: () => Promise<T>) => Promise<T>;
}): CountPoint {
  const { name } = limitWindowModel(deps.connection).collection;
  const collection = deps.connection.collection<LimitWindow & AfterCount>(name);
  const instance = new Types.ObjectId().toHexString();
  let waiting = new Map<string, KeyOfBatch>();
  let sending = false;

  const leftMs = { $subtract: ['$expire', '$$NOW'] };
  const projection = { expire: 1, leftMs, [`by.${instance}`]: 1 };

  async function send(batch: Batch): Promise<Map<string, Counted>> {
    const windows = batch.size === 1 ? await countOneKey(batch) : await countKeys(batch);
    return new Map(
      windows.flatMap(({ _id, by, ...window }) => {
        const points = by[instance];
        return points === undefined ? [] : [[_id, { points, ...window }]];
      }),
    );
  }

  async function countKeys(batch: Batch): Promise<AfterCount[]> {
    await collection.bulkWrite(
      [...batch].map(([_id, key]) => ({
        updateOne: { filter: { _id }, update: increment(key, instance), upsert: true },
      })),
      { ordered: false },
    );
    return collection.find<AfterCount>({ _id: { $in: [...batch.keys()] } }, { projection }).toArray();
  }

  /** The update itself answers a single key: this takes two thirds of the time and half the work. */
  async function countOneKey(batch: Batch): Promise<AfterCount[]> {
    const windows = [...batch].map(([_id, key]) =>
      collection.findOneAndUpdate({ _id }, increment(key, instance), {
        upsert: true,
        returnDocument: 'after',
        projection,
      }),
    );
    return (await Promise.all(windows)).filter((window) => window !== null);
  }

  async function sendAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = takeBatch();
      try {
        settle(batch, await deps.guard(() => send(batch)));
      } catch (error) {
        // Requests that arrived meanwhile have also waited for a database that does not answer.
        const queued = waiting;
        waiting = new Map();
        for (const keys of [batch, queued]) rejectAll(keys, error);
      }
    }
    sending = false;
  }

  function takeBatch(): Batch {
    if (waiting.size <= maxKeysOfBatch) {
      const all = waiting;
      waiting = new Map();
      return all;
    }
    const first = [...waiting].slice(0, maxKeysOfBatch);
    for (const [key] of first) waiting.delete(key);
    return new Map(first);
  }

  return (key, windowMs) =>
    new Promise((resolve, reject) => {
      const known = waiting.get(key);
      if (known === undefined) waiting.set(key, { windowMs, waiting: [{ resolve, reject }] });
      else known.waiting.push({ resolve, reject });
      if (sending) return;
      sending = true;
      // Other requests of this turn of the event loop join the batch.
      setImmediate(sendAll);
    });
}

/** Starts a new window, or adds points to the current one, by the database's clock. */
function increment({ windowMs, waiting }: KeyOfBatch, instance: string) {
  const added = waiting.length;
  const points = { $add: ['$points', added] };
  const begun = {
    _id: '$_id',
    expire: { $add: ['$$NOW', windowMs] },
    points: added,
    by: { [instance]: added },
  };
  const running = {
    _id: '$_id',
    expire: '$expire',
    points,
    by: { $mergeObjects: ['$by', { [instance]: points }] },
  };
  // A window that ends later than one that begins now was begun before the database's clock was set back.
  const latest = { $add: ['$$NOW', windowMs + clockToleranceMs] };
  const isRunning = { $and: [{ $gt: ['$expire', '$$NOW'] }, { $lte: ['$expire', latest] }] };
  return [{ $replaceWith: { $cond: [isRunning, running, begun] } }];
}

/** Numbers the requests in the order in which they arrived. */
function settle(batch: Batch, counted: ReadonlyMap<string, Counted>): void {
  for (const [key, { waiting }] of batch) {
    const after = counted.get(key);
    waiting.forEach(({ resolve, reject }, place) => {
      if (after === undefined) reject(new Error('the window ended while it was being counted'));
      else resolve({ ...after, points: after.points - waiting.length + place + 1 });
    });
  }
}

function rejectAll(batch: Batch, error: unknown): void {
  for (const { waiting } of batch.values()) for (const { reject } of waiting) reject(error);
}
