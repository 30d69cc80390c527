import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createEventParser } from '../../contract/client/streams/event-parser.js';
import { checkAnswer } from './answers.js';
import { waitFor } from './wait-for.js';

/** An event as a reader receives it, with parsed data. */
export interface ReceivedEvent<Data = unknown> {
  event: string;
  data: Data;
}

export interface OpenStream<Data> {
  status: number;
  headers: IncomingMessage['headers'];
  /** The body of an answer that is not a stream. */
  body: { code?: string; retryAfter?: number; [member: string]: unknown };
  /** All events received so far. */
  events: ReceivedEvent<Data>[];
  /** Everything received, as text. */
  text(): string;
  /** Waits until this many events have arrived, and returns them. */
  received(count: number): Promise<ReceivedEvent<Data>[]>;
  /** Resolves to whether the answer was complete. */
  ended: Promise<boolean>;
  close(): void;
}

/** Opens a stream as a reader that checks each answer, and the data of each event, against the document. */
export async function openStream<Data = unknown>(
  origin: string,
  path: string,
  options: { headers?: Record<string, string>; method?: string } = {},
): Promise<OpenStream<Data>> {
  const { headers = {}, method = 'GET' } = options;
  const outgoing = request(`${origin}${path}`, { method, headers, agent: false }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { statusCode: status = 0 } = response;
  const isStream = /^text\/event-stream/.test(response.headers['content-type'] ?? '') && method === 'GET';
  const events: ReceivedEvent<Data>[] = [];
  let text = '';
  const parser = createEventParser();
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    text += part;
    if (!isStream) return;
    for (const { event, data } of parser.parse(part)) events.push({ event, data: JSON.parse(data) });
  });
  const ended = new Promise<boolean>((resolve) => {
    response.once('end', () => resolve(true));
    response.once('error', () => resolve(false));
  });
  if (!isStream) await ended;
  const body = isStream || text === '' ? undefined : JSON.parse(text);
  if (!isStream) checkAnswer({ method, path, status, headers: response.headers, body });
  return {
    status,
    headers: response.headers,
    body: body ?? {},
    events,
    text: () => text,
    async received(count) {
      await waitFor(() => {
        if (events.length < count)
          throw new Error(`${events.length} of ${count} events: ${text.slice(-300)}`);
      });
      for (const { event, data } of events) {
        if (event !== 'problem') checkAnswer({ method, path, status, headers: response.headers, body: data });
      }
      return events;
    },
    ended,
    close: () => outgoing.destroy(),
  };
}
