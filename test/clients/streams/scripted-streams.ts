import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a connection does after the headers of a stream, or instead of them when it answers something else. */
export type Script = (response: ServerResponse) => void | Promise<void>;

export interface Connection {
  url: string;
  headers: IncomingMessage['headers'];
  /** Resolves once the client is gone or the answer has ended. */
  closed: Promise<void>;
}

export interface ScriptedStreams {
  url: string;
  connections: Connection[];
  /** What the next connections do, in order; the last script is repeated. */
  scripts: Script[];
  /** Refuses connections until it is started again. */
  stop(): Promise<void>;
}

/** A listener on loopback whose streams follow scripts. */
export async function startScriptedStreams(atPort = 0): Promise<ScriptedStreams> {
  const service = { connections: [] as Connection[], scripts: [] as Script[] };
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    const closed = once(response, 'close').then(() => undefined);
    service.connections.push({ url, headers, closed });
    const script = service.scripts[Math.min(service.connections.length, service.scripts.length) - 1];
    void script?.(response);
  });
  server.listen(atPort, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(service, {
    url: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

const begin = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(text);

/** Sends this text and keeps the stream open. */
export const opens =
  (text: string): Script =>
  (response) =>
    void begin(response, text);

/** Sends this text and ends the stream, as a service that stops does. */
export const ends =
  (text: string): Script =>
  (response) => {
    begin(response, text);
    response.end();
  };

/** Sends this text; then the connection breaks. */
export const breaks =
  (text: string): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => response.destroy());
  };

/** Answers with something that is not a stream. */
export const answers =
  (status: number, body?: unknown, headers: Record<string, string> = {}): Script =>
  (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };

/** One event as the service writes it. */
export function eventText(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
