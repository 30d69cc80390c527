/**
 * A receiver of webhooks for trying them out: verifies each delivery as a receiver should and prints it.
 *
 *   npm run receiver -- [--port 9099] [--secret <secret>] [--answer 200]
 *
 * Listens on loopback only: `npm start` lets the service call it there, elsewhere OUTBOUND_ALLOW=http://127.0.0.1:9099
 * does. `--secret` may be given twice while a secret is being replaced; `--answer` is the status given to what verifies
 * (500 to see retries, 410 to see the webhook disabled).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { verifyWebhook, WebhookVerificationError } from '../contract/verification/verify-webhook.js';

const defaultSecret = 'only-for-trying-out-webhooks';
const maxBodyBytes = 64 * 1_024;
const idsRemembered = 1_000;

/** Ids seen lately: the same event may come more than once. */
const seen = new Set<string>();

function isRepeated(id: string): boolean {
  if (seen.has(id)) return true;
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > idsRemembered && oldest !== undefined) seen.delete(oldest);
  return false;
}

/** The bytes as they came; undefined where there are too many of them. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  settings: { secrets: readonly string[]; status: number },
): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) {
    response.writeHead(413, { connection: 'close' }).end();
    return;
  }
  try {
    const envelope = verifyWebhook({ body, headers: request.headers, secret: settings.secrets });
    const notes = [
      request.headers['x-fairlead-test'] === 'true' ? 'test' : '',
      isRepeated(envelope.id) ? 'again' : '',
    ].filter((note) => note !== '');
    console.log(`${envelope.event} ${envelope.id}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`);
    console.log(`  ${JSON.stringify(envelope.data)}`);
    response.writeHead(settings.status).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.log(`refused: ${error.message}`);
    response.writeHead(401).end();
  }
}

function settingsOf(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '9099' },
      secret: { type: 'string', multiple: true, default: [defaultSecret] },
      answer: { type: 'string', default: '200' },
    },
  });
  const [port, status] = [Number(values.port), Number(values.answer)];
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new Error('--port must be a port number');
  if (!(Number.isInteger(status) && status >= 200 && status <= 599))
    throw new Error('--answer must be an HTTP status from 200 to 599');
  if (values.secret.includes('')) throw new Error('--secret must not be empty');
  return { port, status, secrets: values.secret };
}

function main(): void {
  const settings = settingsOf(process.argv.slice(2));
  const server = createServer((request, response) => {
    receive(request, response, settings).catch((error: unknown) => {
      console.error(`failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.once('error', (error) => {
    console.error(`cannot listen: ${error.message}; --port takes another port`);
    process.exitCode = 1;
  });
  server.listen(settings.port, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    const own = settings.secrets.includes(defaultSecret) ? `, secret ${defaultSecret}` : '';
    console.log(`waiting for webhooks at http://127.0.0.1:${port}/${own}`);
  });
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
