// Server-sent events as the HTML standard has them: https://html.spec.whatwg.org/multipage/server-sent-events.html

/** A comment: readers ignore it, proxies see that the connection is in use. */
export const heartbeatBytes = Buffer.from(': \n\n');

/** Tells readers how long to wait before they connect again. */
export function retryBytes(ms: number): Buffer {
  return Buffer.from(`retry: ${Math.round(ms)}\n\n`);
}

/** JSON has no line break, so the data is one line. */
export function eventBytes(event: string, data: unknown): Buffer {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
