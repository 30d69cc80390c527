import type { Request, Response } from 'express';
import type { View } from './faults.js';
import { transactionsOf } from './horizon.js';

const lookEveryMs = 500;

/** The account of a request for `/accounts/{id}/transactions` as a stream; undefined for any other request. */
export function streamedAccount(request: Request): string | undefined {
  const wantsStream = request.get('accept')?.includes('text/event-stream') === true;
  const [, account] = /\/accounts\/([^/]+)\/transactions$/.exec(request.path) ?? [];
  return wantsStream ? account : undefined;
}

/** Sends the transactions of an account as server-sent events, as Horizon does: those after the cursor, then new ones. */
export function streamTransactions(account: string, request: Request, response: Response, view: View): void {
  let cursor = String(request.get('last-event-id') ?? request.query.cursor ?? '0');
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write('retry: 1000\nevent: open\ndata: "hello"\n\n');
  const look = () => {
    for (const each of transactionsOf(account, new URLSearchParams({ cursor, limit: '200' }), view)) {
      cursor = each.paging_token;
      response.write(`id: ${cursor}\ndata: ${JSON.stringify(each)}\n\n`);
    }
  };
  look();
  const timer = setInterval(look, lookEveryMs);
  response.on('close', () => clearInterval(timer));
}
