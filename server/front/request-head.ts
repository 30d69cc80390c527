import type { IncomingMessage } from 'node:http';

/** The headers that decide which cached answer a request gets, and for which client it counts. */
export interface RequestHead {
  requestId: string | undefined;
  ifNoneMatch: string | undefined;
  acceptEncoding: string | undefined;
  forwardedFor: string | undefined;
}

/** The index of each header that is read, and of those that the application refuses if they are given twice. */
const places = new Map(
  [
    'host',
    'x-request-id',
    'if-none-match',
    'accept-encoding',
    'x-forwarded-for',
    'authorization',
    'x-admin-key',
    'content-type',
  ].map((name, place) => [name, place]),
);
/** Headers of a request with a body, or whose client waits before it sends one. */
const ofBodies = new Set(['content-length', 'transfer-encoding', 'expect']);
const lengths = new Set([...places.keys(), ...ofBodies].map((name) => name.length));

const faultyHost = /[\s,/\\?#@]/;
let checkedHost: string | undefined;

/**
 * Reads the headers in one pass over `rawHeaders`, which costs less than the object that Node makes of them. Undefined
 * for unusual requests (a body, one of these headers given twice, a faulty Host, another version of HTTP), which the
 * application handles.
 */
export function readHead(req: IncomingMessage): RequestHead | undefined {
  if (req.httpVersionMinor !== 1 || req.httpVersionMajor !== 1) return undefined;
  const { rawHeaders } = req;
  const values: (string | undefined)[] = new Array(places.size).fill(undefined);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] as string;
    if (!lengths.has(given.length)) continue;
    const name = given.toLowerCase();
    const place = places.get(name);
    if (place === undefined) {
      if (ofBodies.has(name)) return undefined;
    } else if (values[place] !== undefined) return undefined;
    else values[place] = rawHeaders[i + 1];
  }
  const [host, requestId, ifNoneMatch, acceptEncoding, forwardedFor] = values;
  if (host === undefined || !isPlain(host)) return undefined;
  return { requestId, ifNoneMatch, acceptEncoding, forwardedFor };
}

/** The last valid host is remembered, because hosts hardly change from one request to the next. */
function isPlain(host: string): boolean {
  if (host === checkedHost) return true;
  if (faultyHost.test(host)) return false;
  checkedHost = host;
  return true;
}
