import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientKey, isTrustedAddress, type TrustedRange } from './client-key.js';

/** Why a connection was not accepted, or not kept. */
export const connectionEnds = ['client_full', 'all_full', 'gave_way', 'stalled'] as const;
export type ConnectionEnd = (typeof connectionEnds)[number];

export interface ConnectionMeter {
  opened(): void;
  closed(): void;
  /** Counted besides `opened` and `closed`; a refused connection was never opened. */
  ended(why: ConnectionEnd): void;
}

export interface ConnectionRules {
  /** The most connections open at once, over all clients. */
  max: number;
  /** The most connections open at once from one client: an IPv4 address, or a /64 of IPv6. */
  maxPerClient: number;
  /** A connection whose client has read nothing of the pending output for this time is closed. */
  stalledWriteMs: number;
  /** Trusted proxies are exempt from `maxPerClient`, because each of them forwards requests of many clients. */
  trustProxy: readonly TrustedRange[];
  meter: ConnectionMeter;
}

export interface ConnectionGuard {
  /** Whether an answer has begun on this connection and is not complete, so that nothing else may be written to it. */
  isMidAnswer(socket: Duplex): boolean;
}

interface Held {
  client: string;
  isProxy: boolean;
  /** How much the kernel had taken at the last check, and for how many checks that has not changed. */
  taken: string;
  looksWithoutProgress: number;
}

const looksPerLimit = 20;

/** Bounds the connections of a server, and closes those whose client does not read what it asked for. */
export function guardConnections(server: Server, rules: ConnectionRules): ConnectionGuard {
  const { meter } = rules;
  /** In the order in which they were opened. */
  const open = new Map<Socket, Held>();
  const perClient = new Map<string, number>();
  const countOf = (client: string) => perClient.get(client) ?? 0;

  server.on('connection', (socket: Socket) => {
    const client = clientKey(socket.remoteAddress, undefined, []);
    const isProxy = isTrustedAddress(socket.remoteAddress, rules.trustProxy);
    const refusal = refusalOf(client, isProxy);
    if (refusal !== undefined) {
      meter.ended(refusal);
      socket.destroy();
      return;
    }
    open.set(socket, { client, isProxy, taken: '', looksWithoutProgress: 0 });
    perClient.set(client, countOf(client) + 1);
    meter.opened();
    socket.once('close', () => release(socket));
  });

  function refusalOf(client: string, isProxy: boolean): ConnectionEnd | undefined {
    if (!isProxy && countOf(client) >= rules.maxPerClient) return 'client_full';
    if (open.size < rules.max) return undefined;
    const other = leastMissed(client);
    if (other === undefined) return 'all_full';
    cut(other, 'gave_way');
    return undefined;
  }

  /**
   * The connection to close for a new one of `client`: of the clients with the most connections, an idle one before one
   * with a request, and the oldest. No client loses its last connection, or displaces others to hold more than they do.
   * A request that came through a proxy is never cut off, because a proxy is not one client.
   */
  function leastMissed(client: string): Socket | undefined {
    let found: { socket: Socket; count: number; isIdle: boolean } | undefined;
    for (const [socket, held] of open) {
      const count = countOf(held.client);
      const isIdle = answerOn(socket) === undefined;
      if (count <= countOf(client) + 1 || (held.isProxy && !isIdle)) continue;
      const isBetter =
        found === undefined || count > found.count || (count === found.count && isIdle && !found.isIdle);
      if (isBetter) found = { socket, count, isIdle };
    }
    return found?.socket;
  }

  function cut(socket: Socket, why: ConnectionEnd): void {
    meter.ended(why);
    release(socket);
    // A reset also drops what the kernel still holds for the client.
    socket.resetAndDestroy();
  }

  function release(socket: Socket): void {
    const held = open.get(socket);
    if (held === undefined) return;
    open.delete(socket);
    const left = countOf(held.client) - 1;
    if (left === 0) perClient.delete(held.client);
    else perClient.set(held.client, left);
    meter.closed();
  }

  function look(): void {
    for (const [socket, held] of open) {
      const taken = takenBy(socket);
      // An ended socket has notified its client, and waits until the client closes its side.
      const waits = socket.writableLength > 0 || socket.writableEnded;
      held.looksWithoutProgress = waits && taken === held.taken ? held.looksWithoutProgress + 1 : 0;
      held.taken = taken;
      if (held.looksWithoutProgress >= looksPerLimit) cut(socket, 'stalled');
    }
  }

  const timer = setInterval(look, rules.stalledWriteMs / looksPerLimit);
  timer.unref();
  server.once('close', () => clearInterval(timer));

  return {
    isMidAnswer(socket) {
      const answer = answerOn(socket);
      return answer?.headersSent === true && !answer.writableFinished;
    },
  };
}

/**
 * The answer to the oldest request of this connection that is not answered yet; undefined if the connection is idle.
 * Node keeps it on the socket. To follow it by events of our own would cost each request half a microsecond.
 */
function answerOn(socket: Duplex): ServerResponse | undefined {
  const { _httpMessage: answer } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  return answer ?? undefined;
}

/**
 * Changes whenever the kernel takes bytes for the client, which it does when the client acknowledges earlier ones. The
 * stream counts a chunk only when all of it was taken, and one answer is one chunk: the handle knows the rest.
 */
function takenBy(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return `${socket.bytesWritten - socket.writableLength}/${handle?.writeQueueSize ?? 0}`;
}
