import { gunzipSync } from 'node:zlib';
import { Agent, type Dispatcher } from 'undici';
import { checkAnswer } from './check.js';

export interface RequestOptions {
  headers?: Record<string, string | string[]>;
  /** A string or bytes are sent as they are; anything else as JSON, with its Content-Type. */
  body?: unknown;
  /** Appended to the path; for hostile queries write them into the path yourself. */
  query?: Record<string, string>;
}

export interface Received<Body = unknown> {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else text; undefined where there was none. */
  body: Body;
}

export interface TestClient {
  /**
   * Sends the path exactly as written, and holds the answer against the document (see checkAnswer). `Body` names
   * the documented type of the answer that the test expects, for reading on from it.
   */
  request<Body = unknown>(method: string, path: string, options?: RequestOptions): Promise<Received<Body>>;
  close(): Promise<void>;
}

const timeoutMs = 30_000;

/** `dispatcher`: your own undici agent, to call from another local address; the client does not close it. */
export function createClient(baseUrl: string, options: { dispatcher?: Dispatcher } = {}): TestClient {
  const agent = options.dispatcher ?? new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  return {
    async request<Body>(method: string, path: string, given: RequestOptions = {}) {
      const { headers = {}, body, query } = given;
      const target = query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
      const raw = typeof body === 'string' || body instanceof Uint8Array;
      const answer = await agent.request({
        origin: baseUrl,
        path: target,
        method: method as Dispatcher.HttpMethod,
        headers: { ...(raw || body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        body: body === undefined ? null : raw ? body : JSON.stringify(body),
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      const received = {
        status: answer.statusCode,
        headers: toHeaders(answer.headers),
        body: parse(bytes, answer.headers) as Body,
      };
      checkAnswer({ method, path: target, ...received });
      return received;
    },
    async close() {
      if (options.dispatcher === undefined) await agent.close();
    },
  };
}

type RawHeaders = Dispatcher.ResponseData['headers'];

function toHeaders(raw: RawHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const line of [value ?? []].flat()) headers.append(name, line);
  }
  return headers;
}

function parse(bytes: Buffer, headers: RawHeaders): unknown {
  if (bytes.length === 0) return undefined;
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
  return /^application\/json/.test(String(headers['content-type'])) ? JSON.parse(text) : text;
}
