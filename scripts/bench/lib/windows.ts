import type { mongo } from 'mongoose';

const windowMs = 60_000;
const portion = 11;

interface Window {
  key: string;
  points: number;
  expire: Date;
}

/** The update by which RateLimiterMongo draws a portion of a client's window, with write concern majority. */
export async function openWindows(client: mongo.MongoClient): Promise<(key: string) => Promise<void>> {
  const windows = client.db().collection<Window>('bare_windows');
  await windows.createIndex({ key: 1 }, { unique: true });
  await windows.createIndex({ expire: 1 }, { expireAfterSeconds: 0 });
  return async (key) => {
    const now = Date.now();
    await windows.findOneAndUpdate(
      { $or: [{ expire: { $gt: new Date(now) } }, { expire: { $eq: null as never } }], key },
      { $setOnInsert: { key, expire: new Date(now + windowMs) }, $inc: { points: portion } },
      { upsert: true, returnDocument: 'after', writeConcern: { w: 'majority' } },
    );
  };
}
