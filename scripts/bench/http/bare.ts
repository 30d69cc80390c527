/**
 * The servers that this service is compared with: `node` is bare node:http, `express` a bare Express app. Both repeat
 * answers of the service, from the file that the second argument names, and do nothing else.
 */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** An answer of the service, for a bare server to repeat. */
export interface RecordedAnswer {
  /** Base64. */
  body: string;
  /** Without the headers that Node adds by itself. */
  headers: Record<string, string>;
}

const [kind, file = ''] = process.argv.slice(2);
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Record<string, RecordedAnswer>;
const answers = new Map(
  Object.entries(recorded).map(([path, { body, headers }]) => {
    const { 'content-type': _type, 'content-length': _length, ...notModified } = headers;
    return [path, { body: Buffer.from(body, 'base64'), headers, notModified }];
  }),
);

/** Whether a client that sent this If-None-Match is answered 304. */
function isKnown(headers: Record<string, string>, ifNoneMatch: string | undefined): boolean {
  return headers.etag !== undefined && (ifNoneMatch === '*' || ifNoneMatch === headers.etag);
}

const bareNode: RequestListener = (request, response) => {
  const answer = answers.get(request.url ?? '');
  if (answer === undefined) response.writeHead(404).end();
  else if (isKnown(answer.headers, request.headers['if-none-match']))
    response.writeHead(304, answer.notModified).end();
  else response.writeHead(200, answer.headers).end(answer.body);
};

function bareExpress(): RequestListener {
  const app = express().disable('x-powered-by').disable('etag');
  for (const [path, answer] of answers) {
    app.get(path, (request, response) => {
      if (isKnown(answer.headers, request.headers['if-none-match']))
        response.status(304).set(answer.notModified).end();
      else response.set(answer.headers).end(answer.body);
    });
  }
  return app;
}

const server = createServer(kind === 'express' ? bareExpress() : bareNode);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('SIGTERM', () => process.exit(0));
