import type { mongo } from 'mongoose';

export interface BareWindow {
  key: string;
  points: number;
  expire: Date;
}

const windowMs = 60_000;
const portion = 11;

/** Without them the update would scan. */
export async function prepareWindows(windows: mongo.Collection<BareWindow>): Promise<void> {
  await windows.createIndex({ key: 1 }, { unique: true });
  await windows.createIndex({ expire: 1 }, { expireAfterSeconds: 0 });
}

/** The update by which RateLimiterMongo draws a portion of a client's window, with write concern majority. */
export async function draw(windows: mongo.Collection<BareWindow>, key: string): Promise<number> {
  const now = Date.now();
  const window = await windows.findOneAndUpdate(
    { $or: [{ expire: { $gt: new Date(now) } }, { expire: { $eq: null as never } }], key },
    { $setOnInsert: { key, expire: new Date(now + windowMs) }, $inc: { points: portion } },
    { upsert: true, returnDocument: 'after', writeConcern: { w: 'majority' } },
  );
  return window?.points ?? 0;
}
