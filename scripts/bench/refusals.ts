import { rateLimitClasses } from '../../contract/rate-limits.js';
import { bareNode, record, startBare } from './lib/bare.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { compareLoads, type LoadLine } from './lib/compare-loads.js';
import type { Measured, Target } from './lib/measure.js';
import { ratesPath, scoresPath, startReadBench } from './lib/read-service.js';

const rounds = 5;
const node = 'bare node:http';
const refusedTable = `GET ${ratesPath}, a client that is refused (429)`;
/** Its ETag stays the same until the next refresh. */
const unchangedTable = `GET ${scoresPath}, not modified (304)`;

/** Requests of one client that is refused. */
export async function mainLoad(context: BenchContext): Promise<void> {
  const { service, measure } = await startReadBench(context);
  const address = await refusedClient(service.url + ratesPath);
  const clients = { kind: 'one', address } as const;
  const seconds = context.seconds * 3;
  await measure(service, { request: { path: ratesPath }, expect: 429, clients, seconds });
}

/** Requests over the limit and answers that the client has already, beside a bare server that sends the same bytes. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const { service, measure, openWindows } = await startReadBench(context);
  const seconds = context.seconds / rounds;

  const { etag = '' } = (await record(service.url + scoresPath)).headers;
  const headers = { 'if-none-match': etag };
  const unchanged = await record(service.url + scoresPath, { expect: 304, headers });
  const bareUnchanged = await startBare(context, bareNode, { [scoresPath]: unchanged });
  const measureHeld = await openWindows(scoresPath, rateLimitClasses.default);
  const isUnchanged = (target: Target): Promise<Measured> =>
    measureHeld(target, { request: { path: scoresPath, headers }, expect: 304, seconds });

  const rates = service.url + ratesPath;
  // The load asks for no content coding. Its refusals come from the cache only if that holds an answer without one.
  await openWindows(ratesPath, rateLimitClasses.rates);
  const refused = await record(rates, {
    expect: 429,
    headers: { 'x-forwarded-for': await refusedClient(rates) },
  });
  const bareRefused = await startBare(context, bareNode, { [ratesPath]: refused });
  const isRefused = async (target: Target): Promise<Measured> =>
    measure(target, {
      request: { path: ratesPath },
      expect: 429,
      clients: { kind: 'one', address: await refusedClient(rates) },
      seconds,
    });

  const line = (table: string, what: string, work: () => Promise<Measured>): LoadLine => ({
    table,
    what,
    measure: work,
  });
  const lines = [
    line(refusedTable, node, () => isRefused(bareRefused)),
    line(refusedTable, 'this service', () => isRefused(service)),
    line(unchangedTable, node, () => isUnchanged(bareUnchanged)),
    line(unchangedTable, 'this service', () => isUnchanged(service)),
  ];
  return compareLoads(rounds, lines, { references: { 'of node:http': node }, sameBytesAs: node });
}

let refusedClients = 0;

/** Sends requests of a new client until it is refused. Its window has just begun, and lasts for a minute. */
async function refusedClient(url: string): Promise<string> {
  refusedClients += 1;
  const address = `192.0.2.${refusedClients}`;
  for (let count = 0; count <= rateLimitClasses.rates.points; count += 1) {
    const answer = await fetch(url, { headers: { 'x-forwarded-for': address } });
    await answer.arrayBuffer();
    if (answer.status === 429) return address;
  }
  throw new Error(`${address} was not refused after ${rateLimitClasses.rates.points} requests`);
}
