import type { RecordedAnswer } from './bare-server.js';
import type { BenchService } from './context.js';
import {
  type BenchRow,
  medianOf,
  microseconds,
  ms,
  perSecond,
  ratioOfRounds,
  rowsInTurns,
} from './figures.js';
import { type Load, type Measured, measure } from './load.js';

const rounds = 3;
const bytesTolerance = 0.02;
const bare = 'bare node:http';
const service = 'this service';

/** Sends one request and keeps the answer. Throws if it has another status. */
export async function record(
  url: string,
  expect = 200,
  headers: Record<string, string> = {},
): Promise<RecordedAnswer> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity', ...headers } });
  const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
  if (answer.status !== expect) throw new Error(`${url} answered ${answer.status}, not ${expect}`);
  const kept = Object.fromEntries(answer.headers);
  for (const added of ['connection', 'date', 'keep-alive']) delete kept[added];
  return { status: expect, headers: kept, body };
}

/**
 * The same load on both servers in turns. Processor time is compared besides the rate, since a generator on the same
 * cores that is no quicker than the bare server makes the rates look alike. Throws where answers differ in
 * size, but for the Keep-Alive that Node adds to the bare server's.
 */
export async function besideBare(
  servers: { bare: BenchService; service: BenchService; mongodPids?: number[] },
  { table, path, load }: { table: string; path: string; load: () => Promise<Omit<Load, 'url'>> },
): Promise<BenchRow[]> {
  const { mongodPids = [] } = servers;
  const line = (what: string, { pid, url }: BenchService) => ({
    what,
    measure: async () => measure([pid, ...mongodPids], { ...(await load()), url: url + path }),
  });
  const lines = [line(bare, servers.bare), line(service, servers.service)];
  return rowsInTurns(table, rounds, lines, (results, reference) => {
    const median = (pick: (each: Measured) => number) => medianOf(results, pick);
    const bytes = ({ bytesPerAnswer }: Measured) => bytesPerAnswer;
    const share = median(bytes) / (medianOf(reference, bytes) - 'Keep-Alive: timeout=5\r\n'.length);
    if (Math.abs(share - 1) > bytesTolerance) throw new Error(`${table}: answers differ in size, ×${share}`);
    const ofProcess = ({ cpuMicros }: Measured) => cpuMicros[0] ?? Number.NaN;
    const ofMongod = ({ cpuMicros }: Measured) => cpuMicros[1] ?? Number.NaN;
    return {
      requests: perSecond(median((each) => each.perSecond)),
      'of node:http': ratioOfRounds(results, reference, (each) => each.perSecond),
      processor: microseconds(median(ofProcess)),
      'of node:http by processor': ratioOfRounds(results, reference, (each) => 1 / ofProcess(each)),
      p50: ms(median((each) => each.p50Ms)),
      p99: ms(median((each) => each.p99Ms)),
      ...(mongodPids.length > 0 && { mongod: microseconds(median(ofMongod)) }),
    };
  });
}
