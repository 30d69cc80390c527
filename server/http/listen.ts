import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorTable } from '../../contract/errors.js';

const limits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  maxHeaderSize: 8 * 1024,
  keepAliveTimeout: 5_000,
};

export interface Listener {
  /** The port in force, also where 0 was asked for. */
  port: number;
  /** Refuses new connections, lets requests in hand finish, then closes what is left after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Listens with the time and size limits of the edge; even what is not HTTP gets its error in the common shape. */
export async function listen(
  handler: RequestListener,
  options: { host: string; port: number },
): Promise<Listener> {
  const server = createServer({ ...limits, connectionsCheckingInterval: 1_000 }, handler);
  server.on('clientError', answerBrokenRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, stop: (graceMs) => stop(server, graceMs) };
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}

/** What the HTTP parser refuses never reaches Express; it is answered on the socket, then the socket is closed. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code: ErrorCode =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'HEADERS_TOO_LARGE'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'REQUEST_TIMEOUT'
        : 'INVALID_REQUEST';
  const body = JSON.stringify({ code, message: messages[code] });
  socket.end(
    `HTTP/1.1 ${errorTable[code].status} ${code}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Cache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const messages: Partial<Record<ErrorCode, string>> = {
  HEADERS_TOO_LARGE: 'The header block is larger than 8 KB.',
  REQUEST_TIMEOUT: 'The request was not received whole in time.',
  INVALID_REQUEST: 'This is not a valid HTTP request.',
};
