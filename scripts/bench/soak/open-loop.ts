import { percentile } from '../lib/figures.js';
import { openConnection } from '../lib/generator/connection.js';
import { expectedStatuses, type Mix, type MixedRequest, waitsInTurn } from './mix.js';

/** The observations since the last report. */
export interface LoopReport {
  answers: number;
  /** Answers by kind of request and status. */
  statuses: Record<string, number>;
  /** Over everything but registrations. */
  p50Ms: number;
  p99Ms: number;
  registerP99Ms: number;
  /** Requests that are due and have not been sent, since every connection waits for an answer. */
  waiting: number;
  /** Connections that are open. */
  connections: number;
}

export interface OpenLoop {
  /** Requests a second from now on; 0 pauses. */
  setRate(perSecond: number): void;
  report(): LoopReport;
  stop(): void;
  /** Rejects on an unexpected answer, or if a connection fails. */
  failed: Promise<never>;
}

const tickMs = 2;
/** A server with this many waiting requests cannot keep up; further ones are not sent. */
const maxWaiting = 20_000;

const percentileOrZero = (values: number[], share: number) =>
  values.length === 0 ? 0 : percentile(values, share);

interface Sent {
  request: MixedRequest;
  dueMs: number;
}

interface Connection {
  send(sent: Sent): void;
  close(): void;
}

/**
 * Sends requests at even intervals, whether or not earlier ones were answered; each latency counts from the time at
 * which its request was due. It sleeps between ticks: spinning for all that time would take a core from the service.
 */
export function startOpenLoop(origin: string, mix: Mix, maxConnections: number): OpenLoop {
  const { hostname: host, port } = new URL(origin);
  let perSecond = 0;
  let nextDueMs = performance.now();
  let latenciesMs: number[] = [];
  let registrationsMs: number[] = [];
  let statuses: Record<string, number> = {};
  const waiting: Sent[] = [];
  /** The one that has been free for longest is used first, so that none is closed for being idle. */
  const free: Connection[] = [];
  const open = new Set<Connection>();
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);

  function connect(): Connection {
    let inFlight: Sent | undefined;
    const bare = openConnection(
      { host, port: Number(port) },
      {
        onAnswer(status, _bytes, head) {
          const sent = inFlight;
          inFlight = undefined;
          if (sent !== undefined) answered(sent, status, head);
          if (perSecond === 0) own.close();
          else free.push(own);
          sendWaiting();
        },
        onFailure: (error) => fail(new Error(`a connection failed: ${error.message}`)),
      },
    );
    const own: Connection = {
      send(sent) {
        inFlight = sent;
        bare.send(sent.request.text);
      },
      close() {
        open.delete(own);
        bare.close();
      },
    };
    open.add(own);
    return own;
  }

  function answered({ request, dueMs }: Sent, status: number, head: string): void {
    (waitsInTurn(request.kind) ? registrationsMs : latenciesMs).push(performance.now() - dueMs);
    const key = `${request.kind} ${status}`;
    statuses[key] = (statuses[key] ?? 0) + 1;
    if (request.intentHash !== undefined && status === 201) mix.remember(request.intentHash);
    if (!expectedStatuses[request.kind].has(status))
      fail(new Error(`an answer to "${request.kind}" was ${status}:\n${request.text}\n${head}`));
  }

  function sendWaiting(): void {
    for (let sent = waiting[0]; sent !== undefined; sent = waiting[0]) {
      const connection = free.shift() ?? (open.size < maxConnections ? connect() : undefined);
      if (connection === undefined) return;
      waiting.shift();
      connection.send(sent);
    }
  }

  const timer = setInterval(() => {
    const now = performance.now();
    if (perSecond === 0) return;
    for (; nextDueMs <= now; nextDueMs += 1_000 / perSecond) {
      if (waiting.length < maxWaiting) waiting.push({ request: mix.next(), dueMs: nextDueMs });
    }
    sendWaiting();
  }, tickMs);

  return {
    setRate(rate) {
      perSecond = rate;
      nextDueMs = performance.now();
      if (rate > 0) return;
      waiting.length = 0;
      // The service would close idle ones, possibly while a request is on its way.
      for (const connection of free.splice(0)) connection.close();
    },
    report() {
      const quick = latenciesMs;
      const registrations = registrationsMs;
      const seen = statuses;
      latenciesMs = [];
      registrationsMs = [];
      statuses = {};
      return {
        answers: quick.length + registrations.length,
        statuses: seen,
        p50Ms: percentileOrZero(quick, 50),
        p99Ms: percentileOrZero(quick, 99),
        registerP99Ms: percentileOrZero(registrations, 99),
        waiting: waiting.length,
        connections: open.size,
      };
    },
    stop() {
      clearInterval(timer);
      for (const connection of open) connection.close();
    },
    failed,
  };
}
