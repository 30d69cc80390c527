import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedAnswer {
  status: number;
  headers?: Record<string, string>;
  /** A string is sent as it is, with whatever `content-type` the headers say; anything else as JSON. */
  body?: unknown;
  /** `headers`: nothing is ever sent. `body`: the answer breaks off in the middle and stays open. */
  hangsAt?: 'headers' | 'body';
}

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface ScriptedService {
  url: string;
  requests: SeenRequest[];
  /** The answers to the next requests, in order; the last one is repeated. */
  answers: ScriptedAnswer[];
  stop(): Promise<void>;
}

/** A listener on loopback that sends scripted answers, as the service, a proxy or an attacker would. */
export async function startScriptedService(): Promise<ScriptedService> {
  const requests: SeenRequest[] = [];
  const service = { requests, answers: [] as ScriptedAnswer[] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString('utf8') });
      const answer = service.answers[Math.min(requests.length, service.answers.length) - 1];
      send(response, answer ?? { status: 500, body: 'the test scripted no answer' });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
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

function send(response: ServerResponse, { status, headers = {}, body, hangsAt }: ScriptedAnswer): void {
  if (hangsAt === 'headers') return;
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if (hangsAt === 'body') response.write(text.slice(0, text.length / 2));
  else response.end(text);
}
