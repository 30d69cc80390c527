/**
 * What registering an intent is compared with: a bare loop over the driver that inserts the documents which the service
 * has stored, with new ids and clients, into a collection with the same indexes, majority-committed. `draw` takes one
 * point of a new client's window first, as the service must for each client that it has not seen.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mongo } from 'mongoose';
import { percentile } from '../lib/figures.js';
import type { LoadResult } from '../lib/load.js';
import { answerQuestion, serveQuestions } from '../lib/programs/answer-questions.js';
import type { Recorded, RecordedIntent } from './recorded.js';

const warmUpMs = 300;
const windowMs = 60_000;

const text = readFileSync(process.argv[2] ?? '', 'utf8');
const { uri, documents, indexes, concurrency, seconds } = mongo.BSON.EJSON.parse(text) as Recorded;
const client = await new mongo.MongoClient(uri, { writeConcern: { w: 'majority' } }).connect();
const intents = client.db().collection<RecordedIntent>('bare_intents');
const windows = client.db().collection<{ _id: string }>('bare_windows');
await intents.createIndexes(indexes);
await windows.createIndex({ expire: 1 }, { expireAfterSeconds: 0 });
let registered = 0;

/** Opens the window of a key, or adds to the one that is running, by the database's clock. */
async function draw(_id: string): Promise<void> {
  const isRunning = { $gt: ['$expire', '$$NOW'] };
  const update = {
    points: { $cond: [isRunning, { $add: ['$points', 1] }, 1] },
    expire: { $cond: [isRunning, '$expire', { $add: ['$$NOW', windowMs] }] },
  };
  const drawn = await windows.findOneAndUpdate({ _id }, [{ $set: update }], {
    upsert: true,
    returnDocument: 'after',
  });
  if (drawn === null) throw new Error('the draw was answered without its window');
}

async function insert(): Promise<void> {
  const recorded = documents[registered++ % documents.length] as RecordedIntent;
  const _id = randomBytes(32).toString('hex');
  await intents.insertOne({ ...recorded, _id, client: _id.slice(0, recorded.client.length) });
}

async function drawAndInsert(): Promise<void> {
  await draw(`createIntent|${randomBytes(8).toString('hex')}`);
  await insert();
}

/** Repeats the work, this many at once. */
async function loop(work: () => Promise<void>): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  let requests = 0;
  const countFrom = performance.now() + warmUpMs;
  const until = countFrom + seconds * 1_000;
  const one = async () => {
    for (let begunAt = performance.now(); begunAt < until; begunAt = performance.now()) {
      await work();
      requests += 1;
      const now = performance.now();
      if (now >= countFrom) latenciesMs.push(now - begunAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  return {
    requests,
    perSecond: latenciesMs.length / ((performance.now() - countFrom) / 1_000),
    p50Ms: percentile(latenciesMs, 50),
    p99Ms: percentile(latenciesMs, 99),
  };
}

answerQuestion('insert', () => loop(insert));
answerQuestion('draw', () => loop(drawAndInsert));
serveQuestions();
