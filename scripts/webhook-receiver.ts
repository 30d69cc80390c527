import express, { type NextFunction, type Request, type Response } from 'express';
import { verifyWebhook, WebhookVerificationError } from '../contract/verification/verify-webhook.js';
import { explainFailure, readOptions } from './lib/local-service.js';
import { listenOnLoopback } from './lib/loopback-server.js';

const help = `npm run receiver -- [--port 9099] [--answer 200]

A receiver for trying out webhooks: verifies each delivery as a receiver should and prints it. It listens on loopback,
where the service of npm start may call it; any other service needs OUTBOUND_ALLOW=http://127.0.0.1:9099. --answer is
the status for deliveries that verify (500 to see retries, 410 to see the webhook disabled).`;

const secret = 'only-for-trying-out-webhooks';
const maxBodyBytes = 64 * 1_024;

function createReceiver(status: number) {
  const app = express().disable('x-powered-by');
  // The signature covers the bytes as they arrived, so nothing may parse them before.
  app.use(express.raw({ type: () => true, limit: maxBodyBytes }));
  app.use(({ body, headers }, response) => {
    const { event, id, data } = verifyWebhook({ body, headers, secret });
    console.log(`${event} ${id}${headers['x-fairlead-test'] === 'true' ? ' (test)' : ''}`);
    console.log(`  ${JSON.stringify(data)}`);
    response.status(status).end();
  });
  app.use((error: Error, _request: Request, response: Response, _next: NextFunction) => {
    const refused = error instanceof WebhookVerificationError;
    console.log(`${refused ? 'refused' : 'failed'}: ${error.message}`);
    response.status(refused ? 401 : 500).end();
  });
  return app;
}

async function main(): Promise<void> {
  const { values } = readOptions(help, {
    port: { type: 'string', default: '9099' },
    answer: { type: 'string', default: '200' },
  });
  const receiver = createReceiver(Number(values.answer));
  const { origin } = await listenOnLoopback(receiver, { port: Number(values.port) });
  console.log(`waiting for webhooks at ${origin}/, secret ${secret}`);
}

main().catch(explainFailure);
