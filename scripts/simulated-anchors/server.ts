import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, Random } from '../../server/ports.js';
import { bearerOf, type Exchange, html, type Reply, type Responder, type Route, refusal } from './http.js';
import type { Temper } from './types.js';

const bodyLimitBytes = 16_384;
const hangLimitMs = 30_000;
const seenLimit = 1_000;
const elsewhere = '(elsewhere)';

/** A request that arrived, for tests that ask who was sent what. */
export interface SeenRequest {
  route: string;
  url: string;
  authorization: string | null;
}

export interface LoopbackServer {
  readonly origin: string;
  readonly calls: Readonly<Record<string, number>>;
  readonly seen: readonly SeenRequest[];
  resetCalls(): void;
  /** By route label, or `*` for all of them; null restores. */
  override(route: string, responder: Responder | null): void;
  stop(): Promise<void>;
}

interface Options {
  routes: readonly Route[];
  temper: () => Pick<Temper, 'latencyMs' | 'faults' | 'outage'>;
  clock: Clock;
  random: Random;
  /** 0 for any free port. */
  port: number;
  /** Multiplies the temper's latency; 0 in tests. */
  latencyFactor: number;
}

function matchRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { route: Route; id: string } | null {
  const label = `${method} ${path}`;
  for (const route of routes) {
    if (route.label === label) return { route, id: '' };
    const at = route.label.indexOf(':id');
    if (at < 0) continue;
    const head = route.label.slice(0, at);
    const tail = route.label.slice(at + ':id'.length);
    if (!label.startsWith(head) || !label.endsWith(tail)) continue;
    const id = label.slice(head.length, label.length - tail.length);
    if (/^[A-Za-z0-9-]{1,64}$/.test(id)) return { route, id };
  }
  return null;
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > bodyLimitBytes) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, {
    'content-type': reply.contentType,
    'content-length': Buffer.byteLength(reply.body),
    'access-control-allow-origin': '*',
  });
  response.end(reply.body);
}

/** What the temper makes of one request: an answer of its own, silence, or null to let the route answer. */
function mood({ temper, clock, random }: Options): Reply | 'silence' | null {
  const { faults, outage } = temper();
  if (outage !== null) {
    const second = Math.floor(clock() / 1000) % outage.everySeconds;
    if (second < outage.forSeconds) return html(503, 'Down for maintenance');
  }
  const draw = random();
  if (draw < faults.hang) return 'silence';
  if (draw < faults.hang + faults.error500) return refusal(500, 'internal error');
  if (draw < faults.hang + faults.error500 + faults.html) return html(502, 'Bad gateway');
  return null;
}

/** A node:http server on 127.0.0.1 that serves these routes in this temper and counts what it is asked. */
export async function startLoopbackServer(options: Options): Promise<LoopbackServer> {
  const calls = new Map<string, number>();
  const seen: SeenRequest[] = [];
  const overrides = new Map<string, Responder>();

  function note(route: string, request: IncomingMessage): void {
    calls.set(route, (calls.get(route) ?? 0) + 1);
    if (seen.length >= seenLimit) seen.shift();
    seen.push({ route, url: request.url ?? '', authorization: request.headers.authorization ?? null });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const found = matchRoute(options.routes, method, url.pathname);
    const label = found?.route.label ?? elsewhere;
    note(label, request);
    const takenOver = overrides.get(label) ?? overrides.get('*');
    if (takenOver !== undefined) return takenOver(request, response);
    if (method === 'OPTIONS') return send(response, { status: 204, contentType: 'text/plain', body: '' });
    if (found === null || found.route.served?.() === false) return send(response, refusal(404, 'not found'));

    const body = await readBody(request);
    if (body === null) return send(response, refusal(413, 'body too large'));
    if (found.route.calm !== true) {
      const [low, high] = options.temper().latencyMs;
      const latencyMs = (low + options.random() * (high - low)) * options.latencyFactor;
      if (latencyMs > 0) await pause(latencyMs);
      const fault = mood(options);
      if (fault === 'silence') {
        response.setTimeout(hangLimitMs, () => response.destroy());
        return;
      }
      if (fault !== null) return send(response, fault);
    }
    const exchange: Exchange = {
      method,
      path: url.pathname,
      query: url.searchParams,
      id: found.id,
      headers: request.headers,
      bearer: bearerOf(request.headers),
      body,
    };
    send(response, await found.route.handle(exchange));
  }

  const server = createServer({ maxHeaderSize: 8_192 }, (request, response) => {
    answer(request, response).catch((fault: unknown) => {
      // A client that went away mid-body ends here too; there is nobody left to answer then.
      if (response.headersSent || response.destroyed) response.destroy();
      else send(response, refusal(500, `simulated anchor failed: ${String(fault)}`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    origin: `http://127.0.0.1:${port}`,
    get calls() {
      return Object.fromEntries(calls);
    },
    seen,
    resetCalls() {
      calls.clear();
      seen.length = 0;
    },
    override(route, responder) {
      if (responder === null) overrides.delete(route);
      else overrides.set(route, responder);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
