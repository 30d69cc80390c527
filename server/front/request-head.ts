import type { IncomingMessage } from 'node:http';

/** The headers that decide which cached answer a request gets, and for which client it counts. */
export interface RequestHead {
  requestId: string | undefined;
  ifNoneMatch: string | undefined;
  acceptEncoding: string | undefined;
  forwardedFor: string | undefined;
}

const faultyHost = /[\s,/\\?#@]/;
let checkedHost: string | undefined;

/**
 * Undefined for unusual requests (a body, a header given twice, a faulty Host, another version of HTTP), which the
 * application handles.
 */
export function readHead(req: IncomingMessage): RequestHead | undefined {
  if (req.httpVersionMinor !== 1 || req.httpVersionMajor !== 1) return undefined;
  // Node has made this object already, to look for `expect`. Only `set-cookie` would be a list.
  const headers = req.headers as Record<string, string | undefined>;
  // Node joins or drops what is given twice, and the application refuses some of it.
  if (Object.keys(headers).length * 2 !== req.rawHeaders.length) return undefined;
  const { host } = headers;
  if (host === undefined || !isPlain(host) || hasBody(headers)) return undefined;
  return {
    requestId: headers['x-request-id'],
    ifNoneMatch: headers['if-none-match'],
    acceptEncoding: headers['accept-encoding'],
    forwardedFor: headers['x-forwarded-for'],
  };
}

/** Also true if the client waits before it sends one. */
function hasBody(headers: Record<string, string | undefined>): boolean {
  return (
    headers['content-length'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined
  );
}

/** The last valid host is remembered, because hosts hardly change from one request to the next. */
function isPlain(host: string): boolean {
  if (host === checkedHost) return true;
  if (faultyHost.test(host)) return false;
  checkedHost = host;
  return true;
}
