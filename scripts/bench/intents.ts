/** `POST /api/intent/offramp` beside a bare loop that draws from the limit and inserts the same documents. */
import { randomBytes } from 'node:crypto';
import type { mongo } from 'mongoose';
import { publicKeyOf } from '../../contract/verification/ed25519.js';
import { encodePublicKey } from '../../contract/verification/strkey.js';
import type { BenchContext, BenchMongo } from './lib/context.js';
import {
  type BenchRow,
  medianOf,
  ms,
  percentile,
  perSecond,
  ratioOfRounds,
  rowsInTurns,
} from './lib/figures.js';
import { clientOf, fire, type LoadResult, newClient } from './lib/load.js';
import { openWindows } from './lib/windows.js';

const rounds = 3;
const connections = 32;
/** Half of the registrations that a client may send per minute. */
const intentsOfClient = 10;

interface Stored {
  _id: string;
  client: string;
}

type Figures = Pick<LoadResult, 'perSecond' | 'p50Ms' | 'p99Ms'>;

export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const service = await context.startService(mongod.uri);
  const seconds = context.seconds / 3;
  const account = encodePublicKey(publicKeyOf(randomBytes(32)));
  let registered = 0;

  const register = (perClient: number): Promise<Figures> =>
    fire({
      url: `${service.url}/api/intent/offramp`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      expect: 201,
      connections,
      seconds,
      next: () => {
        registered += 1;
        const nonce = randomBytes(24).toString('base64url');
        const terms = { corridor: 'usdc-ngn', anchorId: 'harbour', account, sellAmount: '100', nonce };
        const returning = clientOf(10, Math.floor(registered / perClient));
        return { headers: perClient === 1 ? newClient() : returning, body: JSON.stringify(terms) };
      },
    });
  await register(intentsOfClient);
  const lines = [
    { what: 'bare loop: draw and insert', measure: await bareLoop(mongod, seconds) },
    { what: 'this service, each time a new client', measure: () => register(1) },
    {
      what: `this service, ${intentsOfClient} times the same client`,
      measure: () => register(intentsOfClient),
    },
  ];
  const table = `intents registered, ${connections} at a time`;
  return rowsInTurns(table, rounds, lines, (results, reference) => ({
    intents: perSecond(medianOf(results, (each) => each.perSecond)),
    'of draw and insert': ratioOfRounds(results, reference, (each) => each.perSecond),
    p50: ms(medianOf(results, (each) => each.p50Ms)),
    p99: ms(medianOf(results, (each) => each.p99Ms)),
  }));
}

/**
 * Inserts what the service has stored, with new ids and clients, into a collection with the same indexes, majority-committed,
 * after drawing a point of a new client's window, as the service must for each client that it has not seen.
 */
async function bareLoop({ client }: BenchMongo, seconds: number): Promise<() => Promise<Figures>> {
  const stored = client.db().collection<Stored>('intents');
  const documents = await stored.find().limit(200).toArray();
  const indexes = (await stored.indexes()).filter(({ name }) => name !== '_id_');
  const bare = client.db().collection<Stored>('bare_intents', { writeConcern: { w: 'majority' } });
  await bare.createIndexes(indexes.map(({ v: _, ...index }) => index as mongo.IndexDescription));
  const draw = await openWindows(client);

  async function registerOne(number: number): Promise<void> {
    await draw(randomBytes(8).toString('hex'));
    const recorded = documents[number % documents.length] as Stored;
    const _id = randomBytes(32).toString('hex');
    await bare.insertOne({ ...recorded, _id, client: _id.slice(0, recorded.client.length) });
  }

  return async () => {
    const latenciesMs: number[] = [];
    const startedAt = performance.now();
    const one = async () => {
      for (let begunAt = startedAt; begunAt < startedAt + seconds * 1_000; ) {
        begunAt = performance.now();
        await registerOne(latenciesMs.length);
        latenciesMs.push(performance.now() - begunAt);
      }
    };
    await Promise.all(Array.from({ length: connections }, one));
    return {
      perSecond: (latenciesMs.length * 1_000) / (performance.now() - startedAt),
      p50Ms: percentile(latenciesMs, 50),
      p99Ms: percentile(latenciesMs, 99),
    };
  };
}
