import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../server/ports.js';
import { examine, type Reply, refusal, toBatchKey } from './examine.js';
import { openLedger, type TakenBatch } from './ledger.js';
import { type Manner, send, treat } from './manner.js';

export type { TakenBatch } from './ledger.js';
export type { Manner } from './manner.js';

export interface ReferenceOracleOptions {
  clock: Clock;
  /** On 127.0.0.1; 0 or absent: any free one. */
  port?: number;
  /** Publisher's public keys (`G…` or hex); absent: whichever the first batch is signed with, for ever. */
  keys?: readonly string[];
  /** Where the ledger is kept over restarts; in memory only where absent. */
  stateFile?: string;
}

export interface ReferenceOracle {
  /** For ORACLE_URL. */
  url: string;
  /** `G…`, of the receipts. */
  publicKey: string;
  /** What it has taken, in order. */
  taken(): readonly TakenBatch[];
  /** The last 10,000 submissions that arrived whole, as [sequence, manner], in order. */
  arrivals(): readonly [sequence: unknown, manner: Manner][];
  /** The manners of the next submissions, one each; after them it is honest again. */
  behave(...manners: Manner[]): void;
  /** The manner of every submission from now on that `behave` says nothing of. */
  behaveAlways(choose: () => Manner): void;
  /** Ends connections in hand as well. */
  stop(): Promise<void>;
}

/** A batch of 200,000 entries. */
const maxBodyBytes = 128 * 1024 * 1024;
const maxArrivals = 10_000;

/**
 * An oracle over HTTP: `POST /batches` takes the next batch of the chain, whole, and signs a receipt; `GET /batches/7`
 * and `GET /head` show what it took, `GET /` who it is. It keeps headers and receipts, not entries.
 */
export async function startReferenceOracle(options: ReferenceOracleOptions): Promise<ReferenceOracle> {
  const { clock, port = 0, stateFile } = options;
  const keys = options.keys?.map(toBatchKey);
  const ledger = openLedger({ clock, ...(stateFile === undefined ? {} : { file: stateFile }) });
  const planned: Manner[] = [];
  const arrivals: [unknown, Manner][] = [];
  let choose: () => Manner = () => 'honest';

  async function takeSubmission(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request);
    const manner = planned.shift() ?? choose();
    arrivals.push([sequenceOf(body), manner]);
    if (arrivals.length > maxArrivals) arrivals.shift();
    treat(manner, response, () =>
      body === undefined ? refusal(400, 'malformed', 'The body is not JSON.') : examine(ledger, keys, body),
    );
  }

  function read(path: string): Reply {
    const head = ledger.head() ?? null;
    if (path === '/') return { status: 200, body: { oracle: ledger.publicKey, keys: keys ?? null, head } };
    if (path === '/head') return { status: 200, body: { head } };
    const taken = ledger.find(Number(/^\/batches\/([1-9]\d{0,14})$/.exec(path)?.[1]));
    return taken === undefined
      ? refusal(404, 'not_found', 'Nothing is kept here.')
      : { status: 200, body: taken };
  }

  let stopped: Promise<void> | undefined;
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    ledger.close();
  }

  const server = createServer({ requestTimeout: 120_000 }, (request, response) => {
    const path = request.url ?? '/';
    if (request.method === 'GET') send(response, read(path));
    else if (request.method === 'POST' && path === '/batches') {
      takeSubmission(request, response).catch((error: unknown) => {
        if (error instanceof TooLarge) send(response, refusal(413, 'too_large', error.message));
        else response.destroy();
      });
    } else send(response, refusal(404, 'not_found', 'Batches are posted to /batches.'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  }).catch((error: unknown) => {
    ledger.close();
    throw error;
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/batches`,
    publicKey: ledger.publicKey,
    taken: () => ledger.all(),
    arrivals: () => arrivals,
    behave: (...manners) => planned.push(...manners),
    behaveAlways(next) {
      choose = next;
    },
    stop() {
      stopped ??= close();
      return stopped;
    },
  };
}

class TooLarge extends Error {}

/** Undefined where it is not JSON. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBodyBytes) throw new TooLarge(`A submission has at most ${maxBodyBytes} bytes.`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

function sequenceOf(body: unknown): unknown {
  const header = (body as { header?: { sequence?: unknown } } | null | undefined)?.header;
  return header?.sequence;
}
