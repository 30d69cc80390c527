import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Changes the answer to a path on its way; undefined leaves it as it is. */
// biome-ignore lint/suspicious/noExplicitAny: it stands between any answer and whoever reads it
export type Tamper = (path: string, body: any) => unknown;

export interface TamperingProxy {
  url: string;
  /** For the requests from now on; undefined: honest again. */
  tamper(change: Tamper | undefined): void;
  /** Statuses to answer the next requests with, before any is passed on. */
  fail(...statuses: number[]): void;
  stop(): Promise<void>;
}

/** A service that lies: passes GETs on to the real one, each as another client, and changes what comes back. */
export async function startTamperingProxy(target: string): Promise<TamperingProxy> {
  let change: Tamper | undefined;
  const failures: number[] = [];
  let clients = 0;

  async function pass(path: string, response: ServerResponse): Promise<void> {
    clients += 1;
    const headers = { 'x-forwarded-for': `198.51.${clients >> 8}.${clients & 255}` };
    const answer = await fetch(target + path, { headers });
    const body: unknown = await answer.json();
    const changed = change?.(path, structuredClone(body)) ?? body;
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(typeof changed === 'string' ? changed : JSON.stringify(changed));
  }

  const server = createServer((request, response) => {
    const failure = failures.shift();
    if (failure !== undefined) response.writeHead(failure, { 'retry-after': '7' }).end();
    else pass(request.url ?? '/', response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tamper(next) {
      change = next;
    },
    fail: (...statuses) => failures.push(...statuses),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
