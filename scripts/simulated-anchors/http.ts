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

/** `Bearer x` → `x`; null for anything else. */
export function bearerOf(headers: IncomingHttpHeaders): string | null {
  const match = /^Bearer ([\x21-\x7e]{1,512})$/.exec(headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** The text and number fields of a JSON, multipart or form body; null where it is none of these. */
export async function fieldsOf({ headers, body }: Exchange): Promise<ReadonlyMap<string, string> | null> {
  if (body === '') return new Map();
  const type = headers['content-type'] ?? '';
  try {
    const entries = /^application\/json\b/i.test(type)
      ? Object.entries(JSON.parse(body) as object)
      : [...(await new Response(body, { headers: { 'content-type': type } }).formData())];
    const fields = new Map<string, string>();
    for (const [name, value] of entries) {
      if (typeof value === 'string' || typeof value === 'number') fields.set(name, String(value));
    }
    return fields;
  } catch (fault) {
    if (fault instanceof SyntaxError || fault instanceof TypeError) return null;
    throw fault;
  }
}
