import { type Connection, Schema } from 'mongoose';
import { defineModel } from '../mongo/models.js';
import type { Clock } from '../ports.js';

/** After an election the time of the database may be a little behind. */
const clockToleranceMs = 5_000;
const maxKeysOfCommand = 200;
/**
 * For so long after the start, and after a batch of which most windows existed, no key is taken for new: clients of
 * running windows come back after a restart, and a second round takes time that the limiter does not have.
 */
const noGuessMs = 5_000;

/** One window of one key, as all instances share it. Its times are the database's. */
interface LimitWindow {
  _id: string;
  /** Points of the limit that instances have drawn. */
  points: number;
  /** How many instances drew from the window before, or existed when the first window of the key was opened. */
  seen: number;
  /** The latest draw of each instance. */
  by: Record<string, { draw: number; got: number }>;
  expire: Date;
}

const limitWindowSchema = new Schema<LimitWindow>(
  {
    _id: { type: String, required: true },
    points: { type: Number, required: true },
    seen: { type: Number, required: true },
    by: { type: Schema.Types.Mixed, required: true },
    expire: { type: Date, required: true },
  },
  { collection: 'limit_windows', versionKey: false },
);
limitWindowSchema.index({ expire: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export function limitWindowModel(connection: Connection) {
  return defineModel(connection, 'LimitWindow', limitWindowSchema);
}

/** What one draw asks for. */
export interface Draw {
  key: string;
  limit: number;
  windowMs: number;
  /** Points that are needed at once. */
  waiting: number;
  /**
   * Whether there is probably no window of this key, because this instance holds none. Among several keys, such a window
   * is opened by a shorter update; if there is one after all, it is drawn from in a second round. Default: false.
   */
  probablyNew?: boolean;
}

/** The answer to a draw. */
export interface Drawn {
  got: number;
  /** Points drawn from this window by all instances. */
  used: number;
  /** The stored end of the window, in epoch milliseconds. */
  endsAtMs: number;
  /** The time from some moment after the draw was sent until the end. */
  leftMs: number;
  /** How many instances draw from windows of this key. */
  instances: number;
}

/** Points that go back into a window, if it is still the same. */
export interface GivenBack {
  key: string;
  points: number;
  endsAtMs: number;
}

/** Points that an instance grants by itself, and that the others must not grant as well. */
export interface Charge {
  key: string;
  limit: number;
  points: number;
  /** The time until the window of the granted points ends. */
  leftMs: number;
  windowMs: number;
}

export interface DrawOptions {
  /** Takes a portion of what is left, so that the next requests need no draw. */
  ahead: boolean;
  /** How many instances share the limits, this one included; undefined if this one does not know it yet. */
  instances: number | undefined;
}

export interface WindowStore {
  /**
   * Draws points for each key, and opens windows that are not running. A key is missing from the answer if its window
   * ended meanwhile.
   */
  draw(draws: readonly Draw[], options: DrawOptions): Promise<Map<string, Drawn>>;
  giveBack(given: readonly GivenBack[]): Promise<void>;
  charge(charges: readonly Charge[]): Promise<void>;
  /** Removes this instance from those that draw from the key. */
  leave(key: string): Promise<void>;
}

type AfterDraw = LimitWindow & { leftMs: number };

/** @param instance a name of this process, of letters and digits */
export function createWindowStore({
  connection,
  instance,
  stopwatch = () => performance.now(),
}: {
  connection: Connection;
  instance: string;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
}): WindowStore {
  const { name } = limitWindowModel(connection).collection;
  const collection = connection.collection<AfterDraw>(name);
  const projection = { leftMs: { $subtract: ['$expire', '$$NOW'] }, points: 1, seen: 1, by: 1, expire: 1 };
  let draws = 0;
  let guessFrom = stopwatch() + noGuessMs;

  const read = (keys: readonly string[]) =>
    collection.find<AfterDraw>({ _id: { $in: [...keys] } }, { projection }).toArray();

  /** For a single key the update itself returns the window: two thirds of the time and half the work. */
  async function drawOne(key: string, update: object[]): Promise<AfterDraw[]> {
    const window = await collection.findOneAndUpdate({ _id: key }, update, {
      upsert: true,
      returnDocument: 'after',
      projection,
    });
    if (window === null) return [];
    // Where the driver had to send the write again, MongoDB answers with the whole document as stored, unprojected.
    return window.leftMs === undefined ? read([key]) : [window];
  }

  async function drawMany(updates: readonly { key: string; update: object[] }[]): Promise<AfterDraw[]> {
    if (updates.length === 0) return [];
    await collection.bulkWrite(
      updates.map(({ key, update }) => ({
        updateOne: { filter: { _id: key }, update, upsert: true },
      })),
      { ordered: false },
    );
    return read(updates.map(({ key }) => key));
  }

  const drawing = (each: Draw, own: OwnDraw) => ({ key: each.key, update: drawUpdate(each, own) });
  const opening = (each: Draw, own: OwnDraw) => ({ key: each.key, update: openUpdate(each, own) });

  /** What this draw got. A draw of this instance that was given up as lost may have arrived in between. */
  function drawnOf(windows: readonly AfterDraw[], { draw }: OwnDraw): [string, Drawn][] {
    return windows.flatMap((window): [string, Drawn][] => {
      const last = window.by[instance];
      return last?.draw === draw ? [[window._id, toDrawn(window, last.got)]] : [];
    });
  }

  async function drawAll(asked: readonly Draw[], own: OwnDraw): Promise<Map<string, Drawn>> {
    const guesses = stopwatch() >= guessFrom;
    const isGuess = ({ probablyNew }: Draw) => guesses && probablyNew === true;
    const windows = await drawMany(asked.map((each) => (isGuess(each) ? opening : drawing)(each, own)));
    const drawn = new Map(drawnOf(windows, own));
    const lastDraws = new Map(windows.map(({ _id, by }) => [_id, by[instance]?.draw ?? 0]));
    const guessed = asked.filter(isGuess);
    // A window with this draw was opened by it, and one with a later draw needs no more points.
    const existing = guessed.filter(({ key }) => (lastDraws.get(key) ?? 0) < own.draw);
    if (existing.length * 2 > guessed.length) guessFrom = stopwatch() + noGuessMs;
    try {
      const found = await drawMany(existing.map((each) => drawing(each, own)));
      for (const [key, each] of drawnOf(found, own)) drawn.set(key, each);
    } catch (error) {
      // What was drawn in the first round is not lost. The requests of the other keys draw again, and learn of the error.
      if (drawn.size === 0) throw error;
    }
    return drawn;
  }

  return {
    async draw(asked, options) {
      draws += 1;
      const own: OwnDraw = { ...options, instance, draw: draws };
      const [first, ...others] = asked;
      if (first === undefined) return new Map();
      if (others.length > 0) return drawAll(asked, own);
      return new Map(drawnOf(await drawOne(first.key, drawing(first, own).update), own));
    },

    giveBack: (given) =>
      inChunks(given, (chunk) =>
        collection.bulkWrite(
          chunk.map(({ key, points, endsAtMs }) => ({
            updateOne: {
              filter: { _id: key, expire: new Date(endsAtMs) },
              update: { $inc: { points: -points } },
            },
          })),
          { ordered: false },
        ),
      ),

    charge: (charges) =>
      inChunks(charges, (chunk) =>
        collection.bulkWrite(
          chunk.map((charge) => ({
            updateOne: { filter: { _id: charge.key }, update: chargeUpdate(charge), upsert: true },
          })),
          { ordered: false },
        ),
      ),

    async leave(key) {
      await collection.updateOne({ _id: key }, { $unset: { [`by.${instance}`]: true }, $inc: { seen: -1 } });
    },
  };
}

async function inChunks<T>(all: readonly T[], work: (chunk: T[]) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < all.length; done += maxKeysOfCommand)
    await work(all.slice(done, done + maxKeysOfCommand));
}

function toDrawn({ points, seen, by, expire, leftMs }: AfterDraw, got: number): Drawn {
  // An instance of an earlier version stores no `seen`.
  const instances = Math.max(seen ?? 1, Object.keys(by).length);
  return { got, used: points, endsAtMs: expire.getTime(), leftMs, instances };
}

type OwnDraw = DrawOptions & { instance: string; draw: number };

/**
 * Opens the first window of a key and draws from it as `drawUpdate` does; a document that exists stays as it is. MongoDB
 * parses the pipeline of each key, so this short one costs it half as much.
 */
function openUpdate({ limit, windowMs, waiting }: Draw, { ahead, instances, instance, draw }: OwnDraw) {
  const seen = instances ?? 1;
  const portion = Math.ceil(instances === 1 ? limit * partAlone : limit / (2 * seen));
  const got = Math.min(limit, ahead ? Math.max(waiting, portion) : waiting);
  const drawn = { by: { [instance]: { draw, got } }, points: got, seen };
  const opened = { $mergeObjects: [{ _id: '$_id' }, { $literal: drawn }, { expire: endOf(windowMs) }] };
  return [{ $replaceWith: { $cond: [{ $eq: [{ $type: '$expire' }, 'missing'] }, opened, '$$ROOT'] } }];
}

/** Opens the window if it does not run, and draws from it, by the database's clock. */
function drawUpdate({ limit, windowMs, waiting }: Draw, { ahead, instances, instance, draw }: OwnDraw) {
  const left = { $subtract: [limit, '$points'] };
  const drawing = {
    $max: ['$seen', { $size: { $objectToArray: { $mergeObjects: ['$by', { [instance]: 1 }] } } }],
  };
  const part = { $ceil: { $divide: [left, { $multiply: [2, drawing] }] } };
  const portion = instances === 1 ? { $cond: [{ $eq: [drawing, 1] }, portionAlone(left), part] } : part;
  const wanted = ahead ? { $max: [waiting, portion] } : waiting;
  const got = { $max: [0, { $min: [left, wanted] }] };
  return [
    openUnlessRunning(windowMs, { points: 0, seen: seenBefore(instances ?? 1), expire: endOf(windowMs) }),
    { $set: { [`by.${instance}`]: { draw, got } } },
    { $set: { points: { $add: ['$points', `$by.${instance}.got`] } } },
  ];
}

const partAlone = 0.75;

/**
 * The portion of an only instance: three quarters of a window at first, and then the rest, because no other one needs
 * it. If the instance is killed, its clients have a quarter left.
 */
function portionAlone(left: object) {
  return { $cond: [{ $gt: ['$points', 0] }, left, { $ceil: { $multiply: [left, partAlone] } }] };
}

function chargeUpdate({ limit, points, leftMs, windowMs }: Charge) {
  return [
    openUnlessRunning(windowMs, { points: 0, seen: seenBefore(1), expire: endOf(leftMs) }),
    { $set: { points: { $min: [limit, { $add: ['$points', points] }] } } },
  ];
}

function openUnlessRunning(windowMs: number, opened: object) {
  // A window that ends later than one that begins now was begun before the database's clock was set back.
  const latest = { $add: ['$$NOW', windowMs + clockToleranceMs] };
  const isRunning = { $and: [{ $gt: ['$expire', '$$NOW'] }, { $lte: ['$expire', latest] }] };
  const begun = { _id: '$_id', by: { $literal: {} }, ...opened };
  return { $replaceWith: { $cond: [isRunning, '$$ROOT', begun] } };
}

/** A new window must not begin with a count of one instance, or the first one to draw would take half of it. */
function seenBefore(instances: number) {
  const before = { $size: { $objectToArray: '$by' } };
  return { $cond: [{ $eq: [{ $type: '$by' }, 'object'] }, { $max: [1, before] }, instances] };
}

function endOf(ms: number) {
  return { $add: ['$$NOW', ms] };
}
