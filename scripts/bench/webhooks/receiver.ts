/**
 * A receiver in its own process. `/plain` acknowledges, `/verify` verifies and acknowledges, `/hang` never answers. Sends
 * its address when it listens; answers `arrivals` with the POSTs acknowledged since the last question.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import { answerQuestion } from '../lib/programs/answer-questions.js';
import { benchSecret, nowMs } from './shared.js';

/** Event id, and the time on the clock that all processes of a machine share. */
export type Arrival = [eventId: string, atMs: number];

let arrivals: Arrival[] = [];

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const path = request.url ?? '';
    if (path === '/hang') return;
    const atMs = nowMs();
    if (path === '/verify') {
      verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret: benchSecret });
    }
    arrivals.push([String(request.headers['webhook-id']), atMs]);
    response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

answerQuestion('arrivals', () => {
  const taken = arrivals;
  arrivals = [];
  return taken;
});
