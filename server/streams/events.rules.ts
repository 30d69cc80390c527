import { createHash } from 'node:crypto';

// Server-sent events as the HTML standard has them: https://html.spec.whatwg.org/multipage/server-sent-events.html

/** An event as bytes on the wire, and its name among the events of its stream. */
export interface EventFrame {
  /** Equal for equal content; the name of a problem is never an id. */
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

/** An event that is named by the hash of its content. */
export function contentFrame(event: string, value: unknown): EventFrame {
  const data = JSON.stringify(value);
  const id = createHash('sha256').update(data).digest('base64url').slice(0, 22);
  return { name: id, bytes: eventBytes({ event, id, data }) };
}

/** The name of the last answer that a reader says it has; undefined if the text is no such name. */
export function contentNameIn(lastEventId: string | undefined): string | undefined {
  return lastEventId !== undefined && /^[\w-]{22}$/.test(lastEventId) ? lastEventId : undefined;
}

/** An error within a stream. It has no id: a reader that reconnects names the last answer it has. */
export function problemFrame(body: object): EventFrame {
  const data = JSON.stringify(body);
  return { name: `problem ${data}`, bytes: eventBytes({ event: 'problem', data }) };
}
