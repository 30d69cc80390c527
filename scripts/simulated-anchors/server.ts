import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Clock, Random } from '../../server/ports.js';
import { type LoopbackServer, listenOnLoopback } from '../lib/loopback-server.js';
import type { Profile } from './profiles.js';

const bodyLimitBytes = 16_384;
const hangLimitMs = 30_000;
const seenLimit = 1_000;

/** A received request, for tests that check which requests were sent to whom. */
export interface SeenRequest {
  route: string;
  url: string;
  authorization: string | null;
}

/** Takes over a route completely, socket included: for tests that need a hostile answer. */
export type Responder = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A server on loopback that counts its requests and can be made to misbehave. */
export interface SimulatedServer extends LoopbackServer {
  /** The latest requests; tests forget them by emptying it. */
  readonly seen: SeenRequest[];
  callsTo(route: string): number;
  /** Overrides a route by its label, or all of them by `*`; null restores it. */
  override(route: string, responder: Responder | null): void;
}

interface RouteOptions {
  /** True where the profile's faults, latency and outages do not apply: discovery, controls, starting a withdrawal. */
  steady?: boolean;
  /** If it returns false, the anchor does not offer this route: 404. */
  offered?: () => boolean;
}

/** Adds a route by its label, `GET /sep38/price`, under which it is counted and can be overridden. */
export type AddRoute = (
  label: string,
  options: RouteOptions,
  handle: (request: Request, response: Response) => unknown,
) => void;

/** Thrown by handlers; `body` replaces the usual `{error}`. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: object = { error: message },
  ) {
    super(message);
  }
}

/** The text and number fields of a query or body; repeated ones are left out. */
export function fieldsOf(source: unknown): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries((source ?? {}) as object)) {
    if (typeof value === 'string' || typeof value === 'number') fields.set(name, String(value));
  }
  return fields;
}

export function sendPage(response: Response, status: number, title: string): void {
  const body = `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  response.status(status).type('html').send(body);
}

interface ServerOptions {
  addRoutes(route: AddRoute): void;
  /** Without one it answers at once and never fails. */
  profile?(): Pick<Profile, 'latencyMs' | 'faults' | 'outage' | 'protocol'>;
  clock: Clock;
  random: Random;
  /** The port; 0 means any free one. */
  port: number;
  /** Multiplies the profile's latency; 0 in tests. */
  latencyFactor: number;
}

/** Starts an Express app on 127.0.0.1 that serves these routes as the profile says. */
export async function startSimulatedServer(options: ServerOptions): Promise<SimulatedServer> {
  const seen: SeenRequest[] = [];
  const overrides = new Map<string, Responder>();
  const app = express().disable('x-powered-by').disable('etag').set('query parser', 'simple');
  app.use((request, response, next) => {
    response.set({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'authorization, content-type',
    });
    if (request.method === 'OPTIONS') response.status(204).end();
    else next();
  });

  const record = (route: string) => (request: Request, response: Response, next: NextFunction) => {
    if (seen.length >= seenLimit) seen.shift();
    seen.push({ route, url: request.originalUrl, authorization: request.headers.authorization ?? null });
    const override = overrides.get(route) ?? overrides.get('*');
    if (override === undefined) next();
    else Promise.resolve(override(request, response)).catch(next);
  };
  options.addRoutes((label, { steady = false, offered = () => true }, handle) => {
    const [method = '', path = ''] = label.toLowerCase().split(' ');
    const run = async (request: Request, response: Response): Promise<void> => {
      if (!offered()) throw new Refusal(404, 'not found');
      if (!steady && (await misbehave(options, response))) return;
      await handle(request, response);
    };
    app[method as 'get' | 'post'](path, record(label), ...bodyParsers, (request, response, next) => {
      run(request, response).catch(next);
    });
  });
  app.use(record('(elsewhere)'), () => {
    throw new Refusal(404, 'not found');
  });
  answerErrors(app, options);

  const server = await listenOnLoopback(app, { port: options.port, maxHeaderSize: 8_192 });
  return {
    ...server,
    callsTo: (route) => seen.filter((each) => each.route === route).length,
    seen,
    override(route, responder) {
      if (responder === null) overrides.delete(route);
      else overrides.set(route, responder);
    },
  };
}

const bodyParsers = [
  express.json({ limit: bodyLimitBytes }),
  express.urlencoded({ limit: bodyLimitBytes, extended: false }),
];

/** Applies latency, outages and faults of the profile. Resolves to true where the request has been dealt with. */
async function misbehave(options: ServerOptions, response: Response): Promise<boolean> {
  const { clock, random, latencyFactor } = options;
  if (options.profile === undefined) return false;
  const { latencyMs, faults, outage } = options.profile();
  const waitMs = (latencyMs[0] + random() * (latencyMs[1] - latencyMs[0])) * latencyFactor;
  if (waitMs > 0) await pause(waitMs);
  if (outage !== null && Math.floor(clock() / 1000) % outage.everySeconds < outage.forSeconds) {
    sendPage(response, 503, 'Down for maintenance');
    return true;
  }
  const draw = random();
  if (draw < faults.hang) {
    response.setTimeout(hangLimitMs, () => response.destroy());
    return true;
  }
  if (draw < faults.hang + faults.error500) throw new Refusal(500, 'internal error');
  if (draw >= faults.hang + faults.error500 + faults.html) return false;
  sendPage(response, 502, 'Bad gateway');
  return true;
}

/** Errors are JSON, or HTML pages at an anchor that uses the old version of SEP-38. */
function answerErrors(app: Express, { profile }: ServerOptions): void {
  app.use((error: Error & { status?: number }, _: Request, response: Response, _next: NextFunction) => {
    const { status = 500, message } = error;
    if (response.headersSent || response.destroyed) response.destroy();
    else if (profile?.().protocol === 'sep38-old') sendPage(response, status, message);
    else response.status(status).json(error instanceof Refusal ? error.body : { error: message });
  });
}
