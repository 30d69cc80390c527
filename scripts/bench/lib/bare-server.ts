/**
 * Bare node:http, which sends the answers that were recorded from the service, by path. With the URI of a database it makes,
 * before each answer, the draw that the service makes for a client without a window.
 */
import { createServer } from 'node:http';
import { mongo } from 'mongoose';
import { openWindows } from './windows.js';

/** An answer of the service. */
export interface RecordedAnswer {
  status: number;
  /** Without the headers that Node adds by itself. */
  headers: Record<string, string>;
  /** Base64. */
  body: string;
}

const [port, text = '{}', uri] = process.argv.slice(2);
const recorded = JSON.parse(text) as Record<string, RecordedAnswer>;
const answers = new Map(
  Object.entries(recorded).map(([path, { body, ...answer }]) => [
    path,
    { ...answer, body: Buffer.from(body, 'base64') },
  ]),
);
/** The time limit that each operation of the service has too. */
const limits = { timeoutMS: 2_000 };
const draw = uri === undefined ? undefined : await openWindows(await mongo.MongoClient.connect(uri, limits));

const server = createServer(async (request, response) => {
  const answer = answers.get(request.url ?? '');
  if (answer === undefined) return response.writeHead(404).end();
  await draw?.(String(request.headers['x-forwarded-for']));
  return response.writeHead(answer.status, answer.headers).end(answer.body);
});
server.listen(Number(port), '127.0.0.1');
