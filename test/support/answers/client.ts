import { type IncomingHttpHeaders, type IncomingMessage, request as sendRaw } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
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
      const answer = await sendAsWritten(baseUrl, sent);
      const received = {
        status: answer.status,
        headers: toHeaders(answer.headers),
        body: parse(answer) as Body,
      };
      checkAnswer({ method, path: target, ...received });
      return received;
    },
  };
}

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
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    bytes: compressed ? gunzipSync(bytes) : bytes,
  };
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
