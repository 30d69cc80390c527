import express, { type Response } from 'express';
import type { Clock } from '../../server/ports.js';
import { listenOnLoopback } from '../lib/loopback-server.js';
import { examine, type Reply, refusal, toBatchKey } from './examine.js';
import { openLedger } from './ledger.js';

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

/**
 * How the oracle behaves towards one submission.
 *
 * - `honest`: examines it and answers
 * - `fail`: answers 500 without examining it
 * - `hang`: neither examines it nor ever answers
 * - `lose`: examines it and perhaps accepts it, but the connection breaks before the answer
 * - `{ lateMs }`: examines it and answers after this time
 */
export type Behavior = 'honest' | 'fail' | 'hang' | 'lose' | { lateMs: number };

export type ReferenceOracle = Awaited<ReturnType<typeof startReferenceOracle>>;

/** Enough for a batch of 10,000 entries. */
const maxBodyBytes = 16 * 1024 * 1024;
const maxArrivals = 10_000;

/**
 * An oracle over HTTP: `POST /batches` accepts the next batch of the chain, whole, and signs a receipt; `GET /batches/7`,
 * `GET /batches/7/entries` and `GET /batches/head` show what it accepted.
 */
export async function startReferenceOracle(options: ReferenceOracleOptions) {
  const { clock, port = 0, stateFile } = options;
  const keys = options.keys?.map(toBatchKey);
  const ledger = openLedger({ clock, file: stateFile });
  const planned: Behavior[] = [];
  const arrivals: [unknown, Behavior][] = [];
  let choose: () => Behavior = () => 'honest';

  const app = express().disable('x-powered-by').disable('etag');
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

  const server = await listenOnLoopback(app, { port, requestTimeout: 120_000 });

  return {
    /** The value for ORACLE_URL. */
    url: `${server.origin}/batches`,
    /** `G…`, the key that signs receipts. */
    publicKey: ledger.publicKey,
    /** The batches it has accepted, in order. */
    taken: ledger.all,
    /** The last 10,000 submissions that arrived whole, as [sequence, behavior], in order. */
    arrivals: (): readonly [sequence: unknown, behavior: Behavior][] => arrivals,
    /** The behavior towards the next submissions, one each; after them `behaveAlways` applies again. */
    behave: (...behaviors: Behavior[]) => void planned.push(...behaviors),
    /** Chooses the behavior towards every submission that `behave` does not cover; honest until it is called. */
    behaveAlways(next: () => Behavior): void {
      choose = next;
    },
    stop: server.stop,
  };
}

/** Answers with this behavior; `examine` is called at once if the behavior includes it. */
function behave(behavior: Behavior, response: Response, examine: () => Reply): void {
  if (behavior === 'hang') return;
  if (behavior === 'fail') {
    response.status(500).json({ code: 'internal', message: 'The oracle failed.' });
    return;
  }
  const { status, body } = examine();
  if (behavior === 'honest') response.status(status).json(body);
  else if (behavior === 'lose') response.destroy();
  else setTimeout(() => response.status(status).json(body), behavior.lateMs).unref();
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
