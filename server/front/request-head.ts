import type { IncomingMessage } from 'node:http';

/** The headers that decide which cached answer a request gets, and for which client it counts. */
export interface RequestHead {
  requestId: string | undefined;
  ifNoneMatch: string | undefined;
  acceptEncoding: string | undefined;
  forwardedFor: string | undefined;
}

/** The headers that are read, and those that the application refuses if they are given twice. */
const atMostOnce = [
  'host',
  'x-request-id',
  'if-none-match',
  'accept-encoding',
  'x-forwarded-for',
  'authorization',
  'x-admin-key',
  'content-type',
];
/** Headers of a request with a body, or whose client waits before it sends one. */
const ofBodies = ['content-length', 'transfer-encoding', 'expect'];

/** By the length of their names, since comparing a name with one or two others costs less than hashing it. */
const byLength: { name: string; place: number }[][] = [];
for (const [place, name] of [...atMostOnce, ...ofBodies].entries()) {
  byLength[name.length] = [...(byLength[name.length] ?? []), { name, place }];
}

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
  const values: (string | undefined)[] = new Array(atMostOnce.length).fill(undefined);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const place = placeOf(rawHeaders[i] as string);
    if (place === undefined) continue;
    if (place >= atMostOnce.length || values[place] !== undefined) return undefined;
    values[place] = rawHeaders[i + 1];
  }
  const [host, requestId, ifNoneMatch, acceptEncoding, forwardedFor] = values;
  if (host === undefined || !isPlain(host)) return undefined;
  return { requestId, ifNoneMatch, acceptEncoding, forwardedFor };
}

function placeOf(given: string): number | undefined {
  const candidates = byLength[given.length];
  if (candidates === undefined) return undefined;
  const name = given.toLowerCase();
  for (const candidate of candidates) if (candidate.name === name) return candidate.place;
  return undefined;
}

/** The last valid host is remembered, because hosts hardly change from one request to the next. */
function isPlain(host: string): boolean {
  if (host === checkedHost) return true;
  if (faultyHost.test(host)) return false;
  checkedHost = host;
  return true;
}
