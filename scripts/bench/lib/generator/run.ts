import { percentile } from '../figures.js';
import { type LoadConnection, openConnection } from './connection.js';
import type { RequestSource } from './requests.js';

export interface LoadOptions {
  /** `http://127.0.0.1:port` of each server; the connections go round them. */
  origins: readonly string[];
  connections: number;
  warmUpSeconds: number;
  /** The status that every answer must have. */
  expect: number;
  /**
   * Requests per second, at even intervals, whether or not earlier ones were answered; each latency counts from the time at
   * which its request was due. Without it, every connection sends its next request when the last one is answered.
   */
  perSecond?: number;
}

export interface LoadFigures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers that were counted. */
  answers: number;
  /** All requests of this load. */
  sent: number;
  /** Bytes of head and body, on average. */
  bytesPerAnswer: number;
  /** Processor time of the generator, as a share of the time. */
  generatorBusy: number;
}

export interface RunningLoad {
  /** Resolves when the warm-up is over and every client has sent a request, at the latest after 10 s. The load continues. */
  warm: Promise<void>;
  /** Counts for so long, and ends the load. Rejects if an answer had another status or a connection failed. */
  measure(seconds: number): Promise<LoadFigures>;
}

/** Requests that wait for a free connection: a server that far behind cannot serve that rate. */
const maxWaiting = 20_000;

/** The longest warm-up, for a server that takes longer with so many clients. */
const longestWarmUpMs = 30_000;

/** Sends load from this process, which should be a separate one. */
export function startLoad(source: RequestSource, options: LoadOptions): RunningLoad {
  const { expect, perSecond } = options;
  const startedAt = performance.now();
  const latenciesMs: number[] = [];
  let counting = false;
  let bytes = 0;
  let sent = 0;
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  let warmed: () => void = () => undefined;
  let failed: (error: Error) => void = () => undefined;
  const warm = new Promise<void>((resolve, reject) => {
    warmed = resolve;
    failed = reject;
  });
  const failure = new Promise<never>((_, reject) => {
    const whileWarming = failed;
    failed = (error) => {
      end();
      whileWarming(error);
      reject(error);
    };
  });
  for (const promise of [warm, failure]) promise.catch(() => undefined);

  /** When the request in flight on each connection was due. */
  const dueAt = new Float64Array(options.connections);
  /** The one that has been free for longest is used first, so that none is closed for being idle. */
  const free: number[] = [];
  const waiting: number[] = [];
  const connections = Array.from({ length: options.connections }, (_, place): LoadConnection => {
    const { hostname, port } = new URL(options.origins[place % options.origins.length] ?? '');
    return openConnection(
      { host: hostname, port: Number(port) },
      {
        onAnswer: (status, size, head) => answered(place, status, size, head),
        onFailure: (error) => failed(error),
      },
    );
  });

  function send(place: number, due: number): void {
    dueAt[place] = due;
    sent += 1;
    connections[place]?.send(source.next());
  }

  function answered(place: number, status: number, size: number, head: string): void {
    if (over) return;
    const now = performance.now();
    if (status !== expect) {
      failed(new Error(`an answer was ${status}, not ${expect}:\n${head}`));
      return;
    }
    if (counting) {
      latenciesMs.push(now - (dueAt[place] ?? now));
      bytes += size;
    }
    const next = perSecond === undefined ? now : waiting.shift();
    if (next === undefined) free.push(place);
    else send(place, next);
  }

  /** Sends what has become due. Between the turns of the event loop, since timers count whole milliseconds. */
  function keepTime(rate: number): void {
    const intervalMs = 1_000 / rate;
    let next = performance.now();
    const turn = () => {
      if (over) return;
      for (const now = performance.now(); next <= now; next += intervalMs) {
        const place = free.shift();
        if (place === undefined) waiting.push(next);
        else send(place, next);
      }
      if (waiting.length > maxWaiting) failed(new Error(`the server does not keep up with ${rate}/s`));
      else setImmediate(turn);
    };
    turn();
  }

  /**
   * Keeps this process awake. Waking a sleeping process is charged to the writer, and a slower server would find the
   * generator asleep more often: that would be added to the server's own cost.
   */
  function stayAwake(): void {
    if (!over) setImmediate(stayAwake);
  }

  function end(): void {
    over = true;
    clearInterval(watch);
    clearTimeout(timer);
    for (const connection of connections) connection.close();
  }

  const watch = setInterval(() => {
    const lastedMs = performance.now() - startedAt;
    if (lastedMs >= options.warmUpSeconds * 1_000 && (source.allSeen() || lastedMs > longestWarmUpMs))
      warmed();
  }, 5);
  if (perSecond === undefined) {
    for (const place of connections.keys()) send(place, startedAt);
    stayAwake();
  } else {
    free.push(...connections.keys());
    keepTime(perSecond);
  }

  async function count(seconds: number): Promise<LoadFigures> {
    const cpu = process.cpuUsage();
    const countedFrom = performance.now();
    counting = true;
    await new Promise((resolve) => {
      timer = setTimeout(resolve, seconds * 1_000);
    });
    const tookMs = performance.now() - countedFrom;
    end();
    const { user, system } = process.cpuUsage(cpu);
    const answers = latenciesMs.length;
    if (answers === 0) throw new Error(`nothing was answered in ${seconds} s`);
    return {
      perSecond: (answers * 1_000) / tookMs,
      p50Ms: percentile(latenciesMs, 50),
      p99Ms: percentile(latenciesMs, 99),
      answers,
      sent,
      bytesPerAnswer: bytes / answers,
      generatorBusy: (user + system) / 1_000 / tookMs,
    };
  }

  return { warm, measure: (seconds) => Promise.race([count(seconds), failure]) };
}
