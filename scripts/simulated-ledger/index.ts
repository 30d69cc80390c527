import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import type { Clock } from '../../server/ports.js';
import { listenOnLoopback } from '../lib/loopback-server.js';
import { createBook } from './book.js';
import { type Entry, innerOf } from './entries.js';
import { noFaults, type SourceFaults, viewOf } from './faults.js';
import { answerHorizon, streamedAccount, streamTransactions } from './horizon.js';
import { buildTransaction, type SimulatedTransaction } from './payments.js';
import { answerRpc } from './rpc.js';

export interface SimulatedLedgerOptions {
  clock: Clock;
  /** RPC and Horizon answer on this port; 0: any free one. */
  port?: number;
  /** How far apart ledgers close; a second where absent. The real network takes five. */
  closeMs?: number;
}

/** A ledger on this machine that answers as Stellar RPC and Horizon do. No real asset moves. */
export type SimulatedLedger = Awaited<ReturnType<typeof startSimulatedLedger>>;

/** Starts a ledger on 127.0.0.1: RPC at `/rpc`, Horizon at `/horizon`. */
export async function startSimulatedLedger(options: SimulatedLedgerOptions) {
  const { clock, port = 0, closeMs = 1_000 } = options;
  const book = createBook({ clock, closeMs });
  const faults = { rpc: noFaults, horizon: noFaults };
  const rpcView = viewOf(book, clock, () => faults.rpc);
  const horizonView = viewOf(book, clock, () => faults.horizon);
  let sequence = 0;

  const app = express();
  app.disable('x-powered-by');
  // Wallets ask from pages of other origins.
  app.use(async (request, response, next) => {
    response.set({ 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' });
    const { away, delayMs, html } = faults[request.path.startsWith('/rpc') ? 'rpc' : 'horizon'];
    if (delayMs > 0) await delay(delayMs);
    if (request.method === 'OPTIONS') response.status(204).end();
    else if (away) response.status(503).type('html').send('<h1>503 Service Unavailable</h1>');
    else if (html) response.type('html').send('<h1>It works!</h1>');
    else next();
  });
  app.post('/rpc', express.json({ limit: '1mb' }), (request, response) => {
    response.json(answerRpc(request.body, book, rpcView));
  });
  app.get(/^\/horizon(\/.*)?$/, (request, response) => {
    const streamed = streamedAccount(request);
    if (streamed !== undefined) return streamTransactions(streamed, request, response, horizonView);
    const path = request.path.slice('/horizon'.length);
    const { status, json } = answerHorizon(path, horizonView, book.sequenceOf);
    response.status(status).type('application/hal+json').send(JSON.stringify(json));
  });
  const server = await listenOnLoopback(app, { port });

  return {
    /** The values for `LEDGER_RPC_URL` and `HORIZON_URL`. */
    rpcUrl: `${server.origin}/rpc`,
    horizonUrl: `${server.origin}/horizon`,
    /** Takes a transaction without asking for a signature; it is in the ledger that closes next. */
    submit: book.submit,
    /** Submits a transaction of these payments, which differs from all earlier ones. */
    pay(of: Omit<SimulatedTransaction, 'sequence'>): Entry {
      sequence += 1;
      return book.submit(buildTransaction({ ...of, sequence: String(sequence) }));
    },
    setFaults({ rpc, horizon }: { rpc?: Partial<SourceFaults>; horizon?: Partial<SourceFaults> }): void {
      faults.rpc = { ...faults.rpc, ...rpc };
      faults.horizon = { ...faults.horizon, ...horizon };
    },
    /** The payments in the ledgers that closed after this one, oldest first. */
    paymentsAfter: (ledger: number) =>
      book.after(ledger).flatMap(({ transfers, transaction, hash }) => {
        const { memo } = innerOf(transaction);
        return transfers.map(({ from, to, amount }) => ({ from, to, amount, hash, memo }));
      }),
    /** The number of the ledger that closed last. */
    latest: () => book.latest().ledger,
    stop: server.stop,
  };
}
