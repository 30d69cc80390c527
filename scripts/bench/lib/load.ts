import { readFile } from 'node:fs/promises';
import autocannon from 'autocannon';
import { percentile } from './figures.js';

export interface LoadRequest {
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Load {
  /** `http://127.0.0.1:<port>/path` */
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** For so long; or every request of `requests` so many times. */
  seconds?: number;
  visits?: number;
  /** Number of open connections, each with one request in flight. */
  connections?: number;
  /** Requests per second, at even intervals; as many as are answered where absent. */
  rate?: number;
  /** The status that every answer must have. */
  expect?: number;
  /** Sent in turn and repeated, dealt out to the connections and made before the first is sent. */
  requests?: readonly LoadRequest[];
  /** Makes each request when it is sent, where no two may be the same. */
  next?: () => LoadRequest;
}

export interface LoadResult {
  /** All, those of the warm-up included; the rate and the latencies are of those after it. */
  answers: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  bytesPerAnswer: number;
}

/** Not measured, because connections are being opened, and code is not compiled yet. */
const warmUpMs = 300;

/**
 * Sends load by autocannon, from this process, which does nothing else meanwhile. Throws if an answer had another status
 * than expected, a connection failed, or nothing was answered.
 */
export async function fire(load: Load): Promise<LoadResult> {
  const { url, method = 'GET', headers = {}, connections = 32, expect = 200, requests, next } = load;
  const { origin, pathname, search } = new URL(url);
  const alike = { method, path: pathname + search, headers };
  const completed = (each: LoadRequest) => ({ ...alike, ...each, headers: { ...headers, ...each.headers } });
  const latenciesMs: number[] = [];
  let [others, answers, bytes, prepared, countFrom, lastAt] = [0, 0, 0, 0, Number.POSITIVE_INFINITY, 0];

  const options: autocannon.Options = {
    url: origin,
    connections,
    ...(load.visits === undefined
      ? { duration: (load.seconds ?? 1) + warmUpMs / 1_000 }
      : { amount: Math.ceil((requests?.length ?? 0) / connections) * connections * load.visits }),
    ...(load.rate === undefined ? {} : { overallRate: load.rate, ignoreCoordinatedOmission: true }),
    // How often autocannon checks whether the load is over.
    sampleInt: 20,
    requests: [next === undefined ? alike : { ...alike, setupRequest: () => completed(next()) }],
    setupClient(client) {
      const own = requests?.filter((_, place) => place % connections === prepared);
      if (own !== undefined) client.setRequests(own.map(completed));
      prepared += 1;
      countFrom = performance.now() + warmUpMs;
    },
  };
  const errors = await new Promise<number>((resolve, reject) => {
    const instance = autocannon(options, (error, result) =>
      error === null ? resolve(result.errors) : reject(error),
    );
    instance.on('response', (_client, status, size, latencyMs) => {
      lastAt = performance.now();
      answers += 1;
      bytes += size;
      if (status !== expect) others += 1;
      if (lastAt >= countFrom) latenciesMs.push(latencyMs);
    });
  });
  if (others > 0) throw new Error(`${others} answers of ${url} were not ${expect}`);
  if (errors > 0) throw new Error(`${errors} connections to ${url} failed or were too slow`);
  if (latenciesMs.length === 0) throw new Error(`${url} answered nothing`);
  return {
    answers,
    perSecond: (latenciesMs.length * 1_000) / (lastAt - countFrom),
    p50Ms: percentile(latenciesMs, 50),
    p99Ms: percentile(latenciesMs, 99),
    bytesPerAnswer: bytes / answers,
  };
}

export interface Measured extends LoadResult {
  /** Microseconds of processor time per answer of each process, in the order of `pids`. */
  cpuMicros: number[];
}

/** The load, and what each answer cost these processes. */
export async function measure(pids: readonly number[], load: Load): Promise<Measured> {
  const { result, spentMs } = await withCpu(pids, () => fire(load));
  return { ...result, cpuMicros: spentMs.map((each) => (each * 1_000) / result.answers) };
}

/** The header by which a proxy names a client: one of 16 million of this network. */
export function clientOf(network: number, number: number): Record<string, string> {
  return { 'x-forwarded-for': `${network}.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}` };
}

let newClients = 0;

/** A client that was never there before. */
export function newClient(): Record<string, string> {
  newClients += 1;
  return clientOf(11, newClients);
}

/** Linux counts a process's time in ticks of this length, whatever its kernel was built with. */
const tickMs = 10;

/** Milliseconds of processor time of a process, in steps of 10 ms; NaN where the system has no /proc. */
async function processCpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name before the last parenthesis may hold anything; utime and stime are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** What the work returns, and the milliseconds of processor time that each of these processes spends meanwhile. */
export async function withCpu<T>(pids: readonly number[], work: () => Promise<T>) {
  const before = await Promise.all(pids.map(processCpuMs));
  const result = await work();
  const after = await Promise.all(pids.map(processCpuMs));
  return { result, spentMs: after.map((each, place) => each - (before[place] ?? 0)) };
}
