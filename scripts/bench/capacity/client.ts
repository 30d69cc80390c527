import { Agent, type IncomingMessage, request as openRequest } from 'node:http';
import type { Socket } from 'node:net';

export interface EndpointRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Includes the query. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  /** Statuses that the answer may have. */
  expect: readonly number[];
  /** Whether the answer is an event stream: it is closed after the first event. */
  isStream?: boolean;
}

export interface ClientBytes {
  sent: number;
  received: number;
}

/** Sends requests on keep-alive connections, and counts the bytes that have passed. */
export function createClient(origin: string) {
  const sockets = new Set<Socket>();
  let ended: ClientBytes = { sent: 0, received: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });

  function watch(socket: Socket): void {
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      ended = {
        sent: ended.sent + socket.bytesWritten,
        received: ended.received + socket.bytesRead,
      };
    });
  }

  /** Resolves to the body. Throws where the answer has another status. */
  function send(request: EndpointRequest, address: string): Promise<string> {
    const { method, path, body, expect, isStream = false } = request;
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      'x-forwarded-for': address,
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
      ...request.headers,
    };
    return new Promise((resolve, reject) => {
      const sent = openRequest(`${origin}${path}`, { method, agent, headers }, (answer) => {
        readBody(answer, isStream).then((received) => {
          if (expect.includes(answer.statusCode ?? 0)) resolve(received);
          else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${received}`));
        }, reject);
      });
      sent.on('socket', watch);
      sent.on('error', reject);
      sent.end(text);
    });
  }

  return {
    send,
    bytes(): ClientBytes {
      const open = [...sockets];
      return {
        sent: ended.sent + open.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
        received: ended.received + open.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
      };
    },
    close: () => agent.destroy(),
  };
}

export type EndpointClient = ReturnType<typeof createClient>;

async function readBody(answer: IncomingMessage, isStream: boolean): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of answer) {
    parts.push(part as Buffer);
    // Leaving the loop closes the stream.
    if (isStream && Buffer.concat(parts).includes('\ndata: ')) break;
  }
  return Buffer.concat(parts).toString('utf8');
}
