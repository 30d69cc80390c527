import { type IncomingHttpHeaders, type IncomingMessage, request as sendRaw } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import supertest from 'supertest';
import { checkAnswer } from './check.js';

export interface RequestOptions {
  headers?: Record<string, string | string[]>;
  /** A string or bytes are sent as they are; anything else as JSON, with its Content-Type. */
  body?: unknown;
  /** Appended to the path; write hostile queries into the path itself. */
  query?: Record<string, string>;
}

export interface Received<Body = unknown> {
  status: number;
  headers: Headers;
  /** Parsed JSON, other text, or undefined where there was none. */
  body: Body;
}

export interface TestClient {
  /**
   * Sends the path exactly as written, and checks the answer against the document (see checkAnswer). `Body` is the
   * documented type of the answer that the test expects, for reading its members.
   */
  request<Body = unknown>(method: string, path: string, options?: RequestOptions): Promise<Received<Body>>;
}

const timeoutMs = 30_000;

interface Sent {
  method: string;
  target: string;
  headers: Record<string, string | string[]>;
  body: Buffer | undefined;
}

interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

async function sendWithSupertest(baseUrl: string, sent: Sent): Promise<Answered> {
  const test = new supertest.Test(baseUrl, sent.method, sent.target);
  // superagent would ask for gzip by itself; a test that wants gzip sets the header. It decompresses the answers.
  test.set('Connection', 'close').unset('Accept-Encoding').timeout(timeoutMs).buffer(true).parse(readBytes);
  // Its type requires one value per name, but it passes lists to Node unchanged.
  for (const [name, value] of Object.entries(sent.headers)) test.set(name, value as string);
  // Bytes and this serializer prevent superagent from guessing a Content-Type or serializing the body again.
  if (sent.body !== undefined) test.serialize((bytes) => bytes as string).send(sent.body);
  const answer = await test;
  const bytes = Buffer.isBuffer(answer.body) ? answer.body : Buffer.alloc(0);
  return { status: answer.status, headers: answer.headers, bytes };
}

function readBytes(answer: unknown, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  const stream = answer as IncomingMessage;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(null, Buffer.concat(chunks)));
}

/** For targets that supertest would rewrite. */
async function sendAsWritten(baseUrl: string, sent: Sent): Promise<Answered> {
  const { hostname, port } = new URL(baseUrl);
  const { method, headers, target: path } = sent;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    sendRaw({ hostname, port, agent: false, method, headers, path, signal }, resolve)
      .on('error', reject)
      .end(sent.body);
  });
  const bytes = await buffer(answer);
  const compressed = answer.headers['content-encoding'] === 'gzip' && bytes.length > 0;
  const { statusCode = 0 } = answer;
  return { status: statusCode, headers: answer.headers, bytes: compressed ? gunzipSync(bytes) : bytes };
}

function toHeaders(raw: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const line of [value ?? []].flat()) headers.append(name, line);
  }
  return headers;
}

function parse({ bytes, headers }: Answered): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  return /^application\/json/.test(String(headers['content-type'])) ? JSON.parse(text) : text;
}

/** Every request opens its own connection, since a kept connection may be closed at the moment of its reuse. */
export function createClient(baseUrl: string): TestClient {
  return {
    async request<Body>(method: string, path: string, given: RequestOptions = {}) {
      const { headers = {}, body, query } = given;
      const target = query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
      const raw = typeof body === 'string' || body instanceof Uint8Array;
      const sent = {
        method,
        target,
        headers: { ...(raw || body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        body: body === undefined ? undefined : Buffer.from(raw ? body : JSON.stringify(body)),
      };
      const send = keepsTarget(baseUrl, target) ? sendWithSupertest : sendAsWritten;
      const answer = await send(baseUrl, sent);
      const { status } = answer;
      const received = { status, headers: toHeaders(answer.headers), body: parse(answer) as Body };
      checkAnswer({ method, path: target, ...received });
      return received;
    },
  };
}

/** Whether supertest keeps the target: it parses addresses, which rewrites dots, quotes, backslashes and the like. */
function keepsTarget(baseUrl: string, target: string): boolean {
  const { pathname, search } = new URL(`${baseUrl}${target}`);
  return pathname + search === target;
}
