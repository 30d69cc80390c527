/** The receiver of the bench of webhooks: verifies and acknowledges, but never answers `/hang`. `GET /received` counts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '../../../contract/verification/verify-webhook.js';

export interface Received {
  all: number;
  /** Deliveries of the same event to the same path. */
  twice: number;
}

const secret = process.argv[2] ?? '';
const seen = new Set<string>();
const received: Received = { all: 0, twice: 0 };

const server = createServer(async (request, response) => {
  const { url = '', headers } = request;
  if (url === '/received') return response.end(JSON.stringify(received));
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (url === '/hang') return undefined;
  verifyWebhook({ body: Buffer.concat(chunks), headers, secret });
  const key = `${url} ${headers['webhook-id']}`;
  if (seen.has(key)) received.twice += 1;
  seen.add(key);
  received.all += 1;
  return response.end('ok');
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('disconnect', () => process.exit());
