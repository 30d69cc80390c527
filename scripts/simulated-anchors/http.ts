import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** What a route is given: the request, read and split. */
export interface Exchange {
  method: string;
  path: string;
  query: URLSearchParams;
  /** The value of `:id` in the route's path, or ''. */
  id: string;
  headers: IncomingHttpHeaders;
  /** The text after `Authorization: Bearer `, or null. */
  bearer: string | null;
  body: string;
}

export interface Reply {
  status: number;
  contentType: string;
  body: string;
}

export interface Route {
  /** `GET /sep38/price`; a last segment may be `:id`. */
  label: string;
  handle(exchange: Exchange): Reply | Promise<Reply>;
  /** True where the temper's faults, latency and outages do not apply: discovery, controls, the start of a withdrawal. */
  calm?: boolean;
  /** Where set and false, the anchor does not serve it: 404. */
  served?: () => boolean;
}

/** Takes over a route whole, socket and all: for tests that need a hostile answer. */
export type Responder = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export function json(status: number, value: unknown): Reply {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

/** The error body of SEP-6, 24 and 38. */
export function refusal(status: number, error: string): Reply {
  return json(status, { error });
}

export function html(status: number, title: string): Reply {
  const body = `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
  return { status, contentType: 'text/html; charset=utf-8', body };
}

export function text(status: number, body: string): Reply {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

export const authenticationRequired = json(403, { type: 'authentication_required' });

/** `Bearer x` → `x`; null for anything else. */
export function bearerOf(headers: IncomingHttpHeaders): string | null {
  const match = /^Bearer ([\x21-\x7e]{1,512})$/.exec(headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** The fields of a JSON or form body as text; null where it is neither. Nested values are left out. */
export function fieldsOf(exchange: Exchange): ReadonlyMap<string, string> | null {
  const type = (exchange.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (exchange.body === '') return new Map();
  if (type === 'application/x-www-form-urlencoded') return new Map(new URLSearchParams(exchange.body));
  if (type !== 'application/json') return null;
  let value: unknown;
  try {
    value = JSON.parse(exchange.body);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const fields = new Map<string, string>();
  for (const [name, field] of Object.entries(value)) {
    if (typeof field === 'string') fields.set(name, field);
    else if (typeof field === 'number') fields.set(name, String(field));
  }
  return fields;
}
