/** Cached reads of clients whose windows are held, unchanged answers and refusals, beside a server that sends the same bytes. */
import { type RateLimitClass, rateLimitClasses } from '../../contract/rate-limits.js';
import { besideBare, record } from './lib/beside-bare.js';
import { type BenchContext, type BenchService, runInternally } from './lib/context.js';
import type { BenchRow } from './lib/figures.js';
import { clientOf, fire } from './lib/load.js';

const { rates, scores, publisherHealth, default: other } = rateLimitClasses;
const ratesPath = '/api/rates/usdc-ngn';
const scoresPath = '/v1/public/scores';
const paths: [string, RateLimitClass][] = [
  [ratesPath, rates],
  ['/api/corridors', other],
  ['/api/snapshot', other],
  ['/api/reputation/leaderboard', other],
  [scoresPath, scores],
  ['/api/publisher/health', publisherHealth],
];
/** So many that few of them draw again before the measurement ends, and so few that all of them draw in some 15 s. */
const clientsOf = (network: number) =>
  Array.from({ length: 2_400 }, (_, number) => ({ headers: clientOf(network, number) }));
const heldClients = clientsOf(10);

export async function run(context: BenchContext): Promise<BenchRow[]> {
  const service = await startRefreshed(context);
  const seconds = context.seconds / 3;
  const rows: BenchRow[] = [];
  // One path after another: all together would need more windows than a process holds.
  for (const [path, limit] of paths) {
    const bare = await context.startBare({ [path]: await record(service.url + path) });
    await holdWindows(service.url + path, limit);
    const table = `GET ${path}, clients whose windows are held`;
    const load = async () => ({ requests: heldClients, seconds });
    rows.push(...(await besideBare({ bare, service }, { table, path, load })));
    if (path === scoresPath) rows.push(...(await unchanged(context, service, seconds)));
    if (path === ratesPath) rows.push(...(await refused(context, service, seconds)));
  }
  return rows;
}

/** A service after its first refresh, before which the leaderboard and the scores are empty. */
async function startRefreshed(context: BenchContext): Promise<BenchService> {
  const { uri } = await context.startMongo();
  const service = await context.startService(uri);
  await runInternally(service, '/api/reputation/refresh');
  return service;
}

/**
 * Each draw is twice as large as the one before. A client that has used the first two, and one point more, holds the rest
 * of the third for the minute of its window.
 */
async function holdWindows(url: string, limit: RateLimitClass, requests = heldClients): Promise<void> {
  await fire({ url, requests, visits: 3 * Math.floor(limit.points / 8) + 1 });
}

/** Its ETag stays the same until the next refresh. */
async function unchanged(context: BenchContext, service: BenchService, seconds: number): Promise<BenchRow[]> {
  const { etag = '' } = (await record(service.url + scoresPath)).headers;
  const headers = { 'if-none-match': etag };
  const bare = await context.startBare({
    [scoresPath]: await record(service.url + scoresPath, 304, headers),
  });
  // The others have used up most of what they held.
  const requests = clientsOf(14);
  await holdWindows(service.url + scoresPath, scores, requests);
  const load = async () => ({ requests, headers, expect: 304, seconds });
  const table = `GET ${scoresPath}, not modified (304)`;
  return besideBare({ bare, service }, { table, path: scoresPath, load });
}

async function refused(context: BenchContext, service: BenchService, seconds: number): Promise<BenchRow[]> {
  const url = service.url + ratesPath;
  const bare = await context.startBare({ [ratesPath]: await record(url, 429, await refusedClient(url)) });
  // Its window lasts for a minute: each measurement has a client of its own.
  const load = async () => ({ headers: await refusedClient(url), expect: 429, seconds });
  const table = `GET ${ratesPath}, a client that is refused (429)`;
  return besideBare({ bare, service }, { table, path: ratesPath, load });
}

let refusedClients = 0;

/** Sends requests of a new client until it is refused. */
async function refusedClient(url: string): Promise<Record<string, string>> {
  refusedClients += 1;
  const headers = clientOf(12, refusedClients);
  for (let count = 0; count <= rates.points; count += 1) {
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    if (answer.status === 429) return headers;
  }
  throw new Error(`a client was not refused after ${rates.points} requests`);
}
