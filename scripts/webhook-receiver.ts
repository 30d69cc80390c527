import express, { type NextFunction, type Request, type Response } from 'express';
import { verifyWebhook, WebhookVerificationError } from '../contract/verification/verify-webhook.js';
import { readOptions } from './lib/local-service.js';
import { isPortTaken, listenOnLoopback } from './lib/loopback-server.js';

const help = `npm run receiver -- [--port 9099] [--secret secret] [--answer 200]

A receiver for trying out webhooks: verifies each delivery as a receiver should and prints it. It listens on loopback,
where the service of npm start may call it; any other service needs OUTBOUND_ALLOW=http://127.0.0.1:9099. Give --secret
twice while a secret is being replaced. --answer is the status for deliveries that verify (500 to see retries, 410 to
see the webhook disabled).`;

const defaultSecret = 'only-for-trying-out-webhooks';
const maxBodyBytes = 64 * 1_024;
const idsRemembered = 1_000;

/** Ids received lately: the same event may arrive more than once. */
const seen = new Set<string>();

function isRepeated(id: string): boolean {
  if (seen.has(id)) return true;
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > idsRemembered && oldest !== undefined) seen.delete(oldest);
  return false;
}

function createReceiver({ secrets, status }: { secrets: readonly string[]; status: number }) {
  const app = express().disable('x-powered-by');
  // The signature covers the bytes as they arrived, so nothing may parse them before.
  app.use(express.raw({ type: () => true, limit: maxBodyBytes }));
  app.use(({ body, headers }, response) => {
    const envelope = verifyWebhook({
      body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
      headers,
      secret: secrets,
    });
    const notes = [
      headers['x-fairlead-test'] === 'true' ? 'test' : '',
      isRepeated(envelope.id) ? 'again' : '',
    ].filter((note) => note !== '');
    console.log(`${envelope.event} ${envelope.id}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`);
    console.log(`  ${JSON.stringify(envelope.data)}`);
    response.status(status).end();
  });
  app.use(
    (error: Error & { status?: number }, _request: Request, response: Response, _next: NextFunction) => {
      const refused = error instanceof WebhookVerificationError;
      console.log(`${refused ? 'refused' : 'failed'}: ${error.message}`);
      response.status(refused ? 401 : (error.status ?? 500)).end();
    },
  );
  return app;
}

function settingsOf() {
  const { values } = readOptions(help, {
    port: { type: 'string', default: '9099' },
    secret: { type: 'string', multiple: true, default: [defaultSecret] },
    answer: { type: 'string', default: '200' },
  });
  const [port, status] = [Number(values.port), Number(values.answer)];
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new Error('--port must be a port number');
  if (!(Number.isInteger(status) && status >= 200 && status <= 599))
    throw new Error('--answer must be an HTTP status from 200 to 599');
  if (values.secret.includes('')) throw new Error('--secret must not be empty');
  return { port, status, secrets: values.secret };
}

async function main(): Promise<void> {
  const settings = settingsOf();
  const { origin } = await listenOnLoopback(createReceiver(settings), { port: settings.port });
  const secretNote = settings.secrets.includes(defaultSecret) ? `, secret ${defaultSecret}` : '';
  console.log(`waiting for webhooks at ${origin}/${secretNote}`);
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  console.error(isPortTaken(error) ? `${message}; choose another port with --port` : message);
  process.exitCode = 1;
});
