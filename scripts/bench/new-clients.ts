/** Requests of clients that were never there before, each of which draws from its limit in MongoDB. */
import { setTimeout as delay } from 'node:timers/promises';
import { besideBare, record } from './lib/beside-bare.js';
import type { BenchContext } from './lib/context.js';
import { type BenchRow, medianOf, ms, percentile, ratioOfRounds, rowsInTurns } from './lib/figures.js';
import { fire, newClient } from './lib/load.js';
import { openWindows } from './lib/windows.js';

const path = '/api/rates/usdc-ngn';
/** Requests a second on an idle machine. */
const idleRate = 50;

export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const service = await context.startService(mongod.uri);
  const bare = await context.startBare({ [path]: await record(service.url + path) }, mongod.uri);
  const seconds = context.seconds / 3;
  const next = () => ({ headers: newClient() });
  const servers = { bare, service, mongodPids: mongod.pids };
  const table = `GET ${path}, every request of a new client, beside a server that draws`;
  const loaded = await besideBare(servers, { table, path, load: async () => ({ next, seconds }) });

  const draw = await openWindows(mongod.client);
  const update = async () => {
    const latenciesMs: number[] = [];
    for (const endsAt = performance.now() + seconds * 1_000; performance.now() < endsAt; ) {
      await delay(1_000 / idleRate);
      const startedAt = performance.now();
      await draw(`bench ${startedAt}`);
      latenciesMs.push(performance.now() - startedAt);
    }
    return percentile(latenciesMs, 50);
  };
  // autocannon deals out a rate second by second, and sends nothing in less than one.
  const idleSeconds = Math.max(1, seconds);
  const request = async () =>
    (await fire({ url: service.url + path, next, seconds: idleSeconds, rate: idleRate, connections: 4 }))
      .p50Ms;
  const lines = [
    { what: 'a bare majority update', measure: update },
    { what: "a client's first request", measure: request },
  ];
  const own = (each: number) => each;
  const idle = `an idle machine, ${idleRate} requests a second`;
  const rows = await rowsInTurns(idle, 5, lines, (results, reference) => ({
    p50: ms(medianOf(results, own)),
    'of a bare update': ratioOfRounds(results, reference, own),
  }));
  return [...loaded, ...rows];
}
