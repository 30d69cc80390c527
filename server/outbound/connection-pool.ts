import { type ConnectDeps, connectVetted } from './connect.js';
import { Client } from './undici-client.js';
import type { Target } from './vet-url.js';

const maxHeaderBytes = 16 * 1_024;
/** Under the 5 s after which Node's own servers close an idle connection. */
const idleTimeoutMs = 4_000;
const maxIdleTimeoutMs = 30_000;
const maxIdlePerOrigin = 16;
const maxIdle = 256;

/** The connection was closed before the request was written, so another connection may carry it. */
export class StaleConnection extends Error {}

export interface ConnectionPool {
  /** An idle connection that was vetted for this origin. */
  takeIdle(origin: string): Client | undefined;
  /** A new connection. @throws what `connectVetted` throws */
  open(target: Target, signal: AbortSignal): Promise<Client>;
  /** Keeps a connection after an exchange that left nothing unread on it. */
  keep(origin: string, client: Client): void;
  close(): Promise<void>;
}

/**
 * Connections by origin. Each is one vetted socket for its whole life: undici is given the socket and cannot open
 * another, so nothing kept here reaches an address that was not vetted for its origin. See docs/adr/0004.
 */
export function createConnectionPool(deps: ConnectDeps): ConnectionPool {
  const idle = new Map<string, Set<Client>>();
  const gone = new WeakSet<Client>();
  let idleCount = 0;
  let closed = false;

  function forget(origin: string, client: Client) {
    const set = idle.get(origin);
    if (!set?.delete(client)) return;
    idleCount -= 1;
    if (set.size === 0) idle.delete(origin);
  }

  return {
    takeIdle(origin) {
      const [client] = idle.get(origin) ?? [];
      if (client) forget(origin, client);
      return client;
    },

    async open(target, signal) {
      const socket = await connectVetted(target, deps, signal);
      let handedOver = false;
      const client = new Client(target.origin, {
        connect: (_options, callback) => {
          // Not synchronously: undici would wait forever if its connector called back before it returned.
          queueMicrotask(() => {
            if (handedOver) return callback(new StaleConnection('the connection is closed'), null);
            handedOver = true;
            callback(null, socket);
          });
        },
        pipelining: 1,
        maxHeaderSize: maxHeaderBytes,
        keepAliveTimeout: idleTimeoutMs,
        keepAliveMaxTimeout: maxIdleTimeoutMs,
        // The time limit of the whole exchange is ours; these would only limit the gaps in it.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      client.on('disconnect', () => {
        gone.add(client);
        forget(target.origin, client);
      });
      return client;
    },

    keep(origin, client) {
      const set = idle.get(origin) ?? new Set();
      if (closed || gone.has(client) || idleCount >= maxIdle || set.size >= maxIdlePerOrigin) {
        void client.destroy();
        return;
      }
      idle.set(origin, set.add(client));
      idleCount += 1;
    },

    async close() {
      closed = true;
      const clients = [...idle.values()].flatMap((set) => [...set]);
      idle.clear();
      idleCount = 0;
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}
