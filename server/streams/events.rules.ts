import { createHash } from 'node:crypto';

// Server-sent events as the HTML standard has them: https://html.spec.whatwg.org/multipage/server-sent-events.html

/** An event as it goes over the wire, and what tells it from others of its stream. */
export interface EventFrame {
  /** The same for the same content; that of a problem is never an id. */
  name: string;
  bytes: Buffer;
}

/** A comment: readers ignore it, proxies see that the connection is in use. */
export const heartbeatBytes = Buffer.from(': \n\n');

/** Tells readers how long to wait before they connect again. */
export function retryBytes(ms: number): Buffer {
  return Buffer.from(`retry: ${Math.round(ms)}\n\n`);
}

/** `data` is JSON, which has no line break. */
export function eventBytes(event: { event: string; id?: string; data: string }): Buffer {
  const id = event.id === undefined ? '' : `id: ${event.id}\n`;
  return Buffer.from(`event: ${event.event}\n${id}data: ${event.data}\n\n`);
}

/** An event that is named by its content. */
export function contentFrame(event: string, value: unknown): EventFrame {
  const data = JSON.stringify(value);
  const id = createHash('sha256').update(data).digest('base64url').slice(0, 22);
  return { name: id, bytes: eventBytes({ event, id, data }) };
}

/** The name of an answer that a reader says it has; anything else is none, and not kept for it. */
export function contentNameIn(lastEventId: string | undefined): string | undefined {
  return lastEventId !== undefined && /^[\w-]{22}$/.test(lastEventId) ? lastEventId : undefined;
}

/** An error in the midst of a stream. Without an id: a reader that comes again names the last answer it has. */
export function problemFrame(body: object): EventFrame {
  const data = JSON.stringify(body);
  return { name: `problem ${data}`, bytes: eventBytes({ event: 'problem', data }) };
}
