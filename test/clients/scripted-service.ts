import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach } from '@jest/globals';
import { listenOnLoopback } from '../../scripts/lib/loopback-server.js';

/** What a connection does with its response. */
export type Script = (response: ServerResponse) => unknown;

export interface ScriptedAnswer {
  status: number;
  headers?: Record<string, string>;
  /** A string is sent as it is, with whatever `content-type` the headers say; anything else as JSON. */
  body?: unknown;
  /** `headers`: nothing is ever sent. `body`: the answer breaks off in the middle and stays open. */
  hangsAt?: 'headers' | 'body';
}

interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** Resolves once the client is gone or the answer has ended. */
  closed: Promise<unknown>;
}

export interface ScriptedService {
  url: string;
  requests: SeenRequest[];
  /** The answers to the next requests, in order; the last one is repeated. */
  answers: (ScriptedAnswer | Script)[];
  stop(): Promise<void>;
}

/** A listener on loopback that sends scripted answers, as the service, a proxy or an attacker would. */
export async function startScriptedService(
  port = 0,
  into: Partial<ScriptedService> = {},
): Promise<ScriptedService> {
  const service = Object.assign(into, {
    requests: [] as SeenRequest[],
    answers: [] as ScriptedService['answers'],
  });
  const { origin, stop } = await listenOnLoopback(
    async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      const { method = '', url = '', headers } = request;
      service.requests.push({ method, url, headers, body, closed: once(response, 'close') });
      const answer = service.answers[Math.min(service.requests.length, service.answers.length) - 1];
      if (typeof answer === 'function') answer(response);
      else send(response, answer ?? { status: 500, body: 'the test scripted no answer' });
    },
    { port },
  );
  return Object.assign(service, { url: origin, stop });
}

/** One for each test of a file. */
export function scriptedService(): ScriptedService {
  const service = {} as ScriptedService;
  beforeEach(async () => {
    await startScriptedService(0, service);
  });
  afterEach(() => service.stop());
  return service;
}

function send(response: ServerResponse, { status, headers = {}, body, hangsAt }: ScriptedAnswer): void {
  if (hangsAt === 'headers') return;
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if (hangsAt === 'body') response.write(text.slice(0, text.length / 2));
  else response.end(text);
}

const begin = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });

/** Sends this text and keeps the stream open. */
export const opens =
  (text: string): Script =>
  (response) =>
    begin(response).write(text);

/** Sends this text and ends the stream, as a service that stops does. */
export const ends =
  (text: string): Script =>
  (response) =>
    begin(response).end(text);

/** Sends this text; then the connection breaks. */
export const breaks =
  (text: string): Script =>
  (response) =>
    begin(response).write(text, () => response.destroy());

/** One event as the service writes it. */
export function eventText(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
