import express, { type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../../server/ports.js';
import { listenOnLoopback } from '../lib/loopback-server.js';
import { type Behavior, behave } from './behavior.js';
import { examine, refusal, toBatchKey } from './examine.js';
import { openLedger, type TakenBatch } from './ledger.js';

export type { Behavior } from './behavior.js';
export type { TakenBatch } from './ledger.js';

export interface ReferenceOracleOptions {
  clock: Clock;
  /** On 127.0.0.1; 0 or absent: any free one. */
  port?: number;
  /** Public keys of the publisher (`G…` or hex); absent: the key of the first batch is trusted from then on. */
  keys?: readonly string[];
  /** The file in which the ledger survives restarts; if absent, it is only in memory. */
  stateFile?: string;
}

export interface ReferenceOracle {
  /** The value for ORACLE_URL. */
  url: string;
  /** `G…`, the key that signs receipts. */
  publicKey: string;
  /** The batches it has accepted, in order. */
  taken(): readonly TakenBatch[];
  /** The last 10,000 submissions that arrived whole, as [sequence, behavior], in order. */
  arrivals(): readonly [sequence: unknown, behavior: Behavior][];
  /** The behavior towards the next submissions, one each; after them `behaveAlways` applies again. */
  behave(...behaviors: Behavior[]): void;
  /** Chooses the behavior towards every submission that `behave` does not cover; honest until it is called. */
  behaveAlways(choose: () => Behavior): void;
  /** Ends open connections as well. */
  stop(): Promise<void>;
}

/** Enough for a batch of 10,000 entries. */
const maxBodyBytes = 16 * 1024 * 1024;
const maxArrivals = 10_000;

/**
 * An oracle over HTTP: `POST /batches` accepts the next batch of the chain, whole, and signs a receipt; `GET /batches/7`,
 * `GET /batches/7/entries` and `GET /batches/head` show what it accepted, `GET /` who it is.
 */
export async function startReferenceOracle(options: ReferenceOracleOptions): Promise<ReferenceOracle> {
  const { clock, port = 0, stateFile } = options;
  const keys = options.keys?.map(toBatchKey);
  const ledger = openLedger({ clock, ...(stateFile === undefined ? {} : { file: stateFile }) });
  const planned: Behavior[] = [];
  const arrivals: [unknown, Behavior][] = [];
  let choose: () => Behavior = () => 'honest';

  const app = express().disable('x-powered-by').disable('etag');
  app.get('/', (_request, response) => {
    response.json({ oracle: ledger.publicKey, keys: keys ?? null, head: ledger.head() ?? null });
  });
  app.get('/batches/head', (_request, response) => {
    response.json({ head: ledger.head() ?? null });
  });
  app.get('/batches/:sequence([1-9]\\d{0,14})', ({ params }, response, next) => {
    const taken = ledger.find(Number(params.sequence));
    if (taken === undefined) next();
    else response.json(taken);
  });
  app.get('/batches/:sequence([1-9]\\d{0,14})/entries', ({ params }, response, next) => {
    const entries = ledger.entriesOf(Number(params.sequence));
    if (entries === undefined) next();
    else response.json({ entries });
  });
  app.post('/batches', express.raw({ type: () => true, limit: maxBodyBytes }), (request, response) => {
    const body = parseJson(request.body);
    const behavior = planned.shift() ?? choose();
    arrivals.push([sequenceOf(body), behavior]);
    if (arrivals.length > maxArrivals) arrivals.shift();
    behave(behavior, response, () =>
      body === undefined ? refusal(400, 'malformed', 'The body is not JSON.') : examine(ledger, keys, body),
    );
  });
  app.use((_request, response) => {
    response.status(404).json({ code: 'not_found', message: 'Nothing is kept here.' });
  });
  app.use((error: { type?: string }, _request: Request, response: Response, _next: NextFunction) => {
    const message = `A submission has at most ${maxBodyBytes} bytes.`;
    if (error.type === 'entity.too.large') response.status(413).json({ code: 'too_large', message });
    else response.destroy();
  });

  const server = await listenOnLoopback(app, { port, requestTimeout: 120_000 }).catch((error: unknown) => {
    ledger.close();
    throw error;
  });
  let stopped: Promise<void> | undefined;

  return {
    url: `${server.origin}/batches`,
    publicKey: ledger.publicKey,
    taken: () => ledger.all(),
    arrivals: () => arrivals,
    behave: (...behaviors) => planned.push(...behaviors),
    behaveAlways(next) {
      choose = next;
    },
    stop() {
      stopped ??= server.stop().then(ledger.close);
      return stopped;
    },
  };
}

/** Undefined where it is not JSON. */
function parseJson(body: unknown): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}

function sequenceOf(body: unknown): unknown {
  const header = (body as { header?: { sequence?: unknown } } | null | undefined)?.header;
  return header?.sequence;
}
