import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { type ErrorCode, errorTable } from '../../contract/errors.js';
import type { NewId } from '../ports.js';
import { requestLimits } from './malformed-request.js';

/** The classes of the requests and responses of a server. */
export type MessageClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/**
 * Classes for the server of this application. Express gives each message that it handles another prototype; V8 then runs
 * Node's own code a third slower for all messages, also for those that the response cache answers. Messages of these classes
 * have that prototype from the start.
 */
export function messageClassesOf(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  // Extension points that Express documents ("Overriding the Express API"), but that its types lack.
  const extended = app as unknown as { request: object; response: object };
  extended.request = Object.setPrototypeOf(AppRequest.prototype, extended.request);
  extended.response = Object.setPrototypeOf(AppResponse.prototype, extended.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

export type Listener = Awaited<ReturnType<typeof listen>>;

/** What the metrics know of the connections of a listener. */
export interface ConnectionMeter {
  opened(): void;
  closed(): void;
  /** Closed at once, because as many as may be are open; it was never opened. */
  refused(): void;
}

export interface ListenOptions {
  host: string;
  port: number;
  maxConnections: number;
  /** How long nothing may move on a connection: on one whose client does not read, either. */
  silentMs?: number;
  meter: ConnectionMeter;
  newId: NewId;
  messageClasses?: MessageClasses;
}

/** Listens with the time and size limits of the edge; even input that is not HTTP gets an error in the common shape. */
export async function listen(handler: RequestListener, options: ListenOptions) {
  const { meter, silentMs = requestLimits.silentMs } = options;
  // A missing Host is refused by the app, in the common shape; Node's own refusal has no body.
  const server = createServer({
    headersTimeout: requestLimits.headersTimeoutMs,
    requestTimeout: requestLimits.requestTimeoutMs,
    // The silence ends idle connections too. With a second time limit, Node would make two timers for each request.
    keepAliveTimeout: 0,
    maxHeaderSize: requestLimits.headerBytes,
    connectionsCheckingInterval: 1_000,
    requireHostHeader: false,
    ...options.messageClasses,
  });
  server.setTimeout(silentMs);
  server.maxConnections = options.maxConnections;
  server.on('drop', meter.refused);
  server.on('connection', (socket: Socket) => {
    meter.opened();
    socket.once('close', meter.closed);
  });

  /** The last answer of each connection that was not complete at once. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  let draining = false;
  const serve: RequestListener = (req, res) => {
    req.url = originForm(req.url as string);
    if (draining) res.setHeader('Connection', 'close');
    handler(req, res);
    if (!res.writableEnded) answers.set(req.socket, res);
  };
  server.on('request', serve);
  const refuse = (socket: Duplex, code: ErrorCode) => {
    if (!socket.writable || isMidAnswer(answers.get(socket))) socket.destroy();
    else answerOnSocket(socket, code, options.newId());
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, codeOf(error));
  });
  server.on('connect', (_req: IncomingMessage, socket: Duplex) => {
    // Node has detached this connection: it would not close it when the server stops, and its errors have no listener,
    // so that a client that resets it would end the process.
    socket.on('error', () => socket.destroy());
    socket.on('finish', () => socket.destroy());
    refuse(socket, 'METHOD_NOT_ALLOWED');
  });
  // A client that asks before sending a body that is too large is refused at once.
  server.on('checkContinue', (req, res) => {
    if (Number(req.headers['content-length'] ?? 0) <= requestLimits.bodyBytes) res.writeContinue();
    serve(req, res);
  });
  // Any other expectation is ignored, as RFC 9110 allows.
  server.on('checkExpectation', serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  /** From now on every answer closes its connection, so that the client opens a new one for its next request. */
  const drain = () => {
    draining = true;
  };
  return {
    /** The actual port, also if 0 was asked for. */
    port: (server.address() as AddressInfo).port,
    drain,
    /** Refuses new connections, lets running requests finish, and after `graceMs` closes what is left. */
    async stop(graceMs: number): Promise<void> {
      drain();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(timer);
    },
  };
}

/** Whether nothing else may be written to the connection, since an answer has begun on it or waits behind another. */
function isMidAnswer(answer: ServerResponse | undefined): boolean {
  if (answer === undefined || answer.writableFinished) return false;
  return answer.headersSent || answer.socket === null;
}

function codeOf(error: NodeJS.ErrnoException): ErrorCode {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE';
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'INVALID_REQUEST';
}

const messages: Partial<Record<ErrorCode, string>> = {
  HEADERS_TOO_LARGE: 'The header block is larger than 8 KB.',
  REQUEST_TIMEOUT: 'The request was not received completely in time.',
  METHOD_NOT_ALLOWED: 'This server is not a proxy.',
  INVALID_REQUEST: 'This is not a valid HTTP request.',
};

/**
 * Strips the scheme and authority of a target in absolute form (RFC 9112 §3.2.2). Otherwise Express itself refuses one
 * without a path, and its answer has no error of the common shape, no request id and no limit.
 */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [authority] = /^[^/?*][^:]*:\/\/[^/?#]*/.exec(target) ?? [];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Requests that the HTTP parser refuses never reach Express; they are answered on the socket, which is then closed. */
function answerOnSocket(socket: Duplex, code: ErrorCode, requestId: string): void {
  const { status } = errorTable[code];
  const body = JSON.stringify({ code, message: messages[code] });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    // Only CONNECT is refused here for its method; its target allows no method at all.
    ...(code === 'METHOD_NOT_ALLOWED' ? ['Allow:'] : []),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
