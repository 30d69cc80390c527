import { mongo } from 'mongoose';

/** Counts MongoDB's operations on the limit windows, by its own counters (`top`). */
export async function openLimitOperations(uri: string) {
  const client = await mongo.MongoClient.connect(uri);
  const database = client.db();
  const ofLimits = new RegExp(`^${database.databaseName}\\..*limit`);

  async function count(): Promise<number> {
    const { totals } = (await client.db('admin').command({ top: 1 })) as {
      totals: Record<string, { total?: { count: number } }>;
    };
    const counts = Object.entries(totals).flatMap(([name, { total }]) =>
      ofLimits.test(name) && total !== undefined ? [total.count] : [],
    );
    if (counts.length === 0) throw new Error('MongoDB knows no collection of limits');
    return counts.reduce((sum, each) => sum + each, 0);
  }

  return { count, database, close: () => client.close() };
}

export type LimitOperations = Awaited<ReturnType<typeof openLimitOperations>>;
