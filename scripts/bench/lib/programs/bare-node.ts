/** Bare node:http, which sends the answers that it was given, and does nothing else. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RecordedAnswers } from '../bare.js';
import { serve } from './serve.js';

const recorded = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as RecordedAnswers;
const answers = new Map(
  Object.entries(recorded).map(([path, { body, ...answer }]) => [
    path,
    { ...answer, body: Buffer.from(body, 'base64') },
  ]),
);

serve(
  createServer((request, response) => {
    const answer = answers.get(request.url ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  }),
);
