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
  /** A connection that was answered and has sent nothing for this time is closed within two seconds. */
  idleMs: number;
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
  /** What it waited for at the last check, and for how many checks that has not changed. */
  wait: Wait | undefined;
  looksUnchanged: number;
}

/** What has to change on a connection before its time is over. */
interface Wait {
  isStalled: boolean;
  /** Bytes. */
  progress: string | number;
}

const looksPerLimit = 20;

/**
 * Bounds the connections of a server, and closes those that are idle or whose client does not read what it asked for. All
 * are looked at in turns: Node's own `keepAliveTimeout` sets a timer after every answer, 4 % of the time of a cached one.
 */
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
    open.set(socket, { client, isProxy, wait: undefined, looksUnchanged: 0 });
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

  const lookEveryMs = rules.stalledWriteMs / looksPerLimit;
  // One more, since a client may still send its next request at the end of the announced time.
  const idleLooks = Math.ceil(rules.idleMs / lookEveryMs) + 1;

  function look(): void {
    for (const [socket, held] of open) {
      const wait = waitOf(socket);
      const isUnchanged = wait?.isStalled === held.wait?.isStalled && wait?.progress === held.wait?.progress;
      held.looksUnchanged = isUnchanged ? held.looksUnchanged + 1 : 0;
      held.wait = wait;
      if (wait === undefined) continue;
      if (wait.isStalled && held.looksUnchanged >= looksPerLimit) cut(socket, 'stalled');
      if (!wait.isStalled && held.looksUnchanged >= idleLooks) socket.destroy();
    }
  }

  const timer = setInterval(look, lookEveryMs);
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

/** Undefined while the service works on a request, and before the first one, whose head Node gives a time of its own. */
function waitOf(socket: Socket): Wait | undefined {
  // An ended socket has notified its client, and waits until the client closes its side.
  if (socket.writableLength > 0 || socket.writableEnded)
    return { isStalled: true, progress: takenBy(socket) };
  const isIdle = answerOn(socket) === undefined && socket.bytesRead > 0;
  return isIdle ? { isStalled: false, progress: socket.bytesRead } : undefined;
}

/**
 * Changes whenever the kernel takes bytes for the client, which it does when the client acknowledges earlier ones. The
 * stream counts a chunk only when all of it was taken, and one answer is one chunk: the handle knows the rest.
 */
function takenBy(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return `${socket.bytesWritten - socket.writableLength}/${handle?.writeQueueSize ?? 0}`;
}
