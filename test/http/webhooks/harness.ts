import { afterAll, beforeAll, vi } from 'vitest';
import type { EventName } from '../../../contract/events.js';
import type { DeliveryAnswer, WebhookAnswer } from '../../../contract/webhook-answers.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import type { World } from '../../../server/ports.js';
import type { Received } from '../../helpers/answers.js';
import { startTestApp, type TestApp, testAdminKey } from '../../helpers/app.js';
import { testDatabase } from '../../helpers/database.js';
import { type Receiver, type Respond, startReceiver } from '../../stores/webhooks/receiver.js';

export const webhooksPath = '/api/admin/webhooks';
export const secret = 'a secret of the webhook tests';

export type Refusal = { code: string; message: string; details?: { path: string; message: string }[] };
export type DeliveryPage = { items: DeliveryAnswer[]; nextCursor: string | null };

/** The app, and a receiver that it may send to. */
export interface WebhooksHarness {
  readonly app: TestApp;
  readonly receiver: Receiver;
  readonly simulated: SimulatedAnchors;
  /** As a client that never asked before, with the admin key. */
  admin<Body = WebhookAnswer & Refusal>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Received<Body>>;
  /** Registered at a path of the receiver. */
  register(path?: string, events?: EventName[]): Promise<WebhookAnswer>;
  /** Another instance on the same database; stopped with the file. */
  startAnother(options?: Partial<Parameters<typeof startTestApp>[0]>): Promise<TestApp>;
  /** Once a webhook has this many deliveries that are settled, they are returned, newest first. */
  settled(webhookId: string, count: number): Promise<DeliveryAnswer[]>;
}

/** Call it once at the top of a file. */
export function webhooksHarness(
  options: { respond?: Respond; env?: Record<string, string>; world?: Partial<World> } = {},
): WebhooksHarness {
  const database = testDatabase();
  const started: TestApp[] = [];
  let simulated: SimulatedAnchors;
  let receiver: Receiver;
  let clients = 0;

  const start: WebhooksHarness['startAnother'] = async (more = {}) => {
    const app = await startTestApp({
      uri: database.uri,
      simulated,
      ...(options.world === undefined ? {} : { world: options.world }),
      env: {
        OUTBOUND_ALLOW: [...simulated.allow, receiver.origin].join(','),
        WEBHOOK_KEY: '3c'.repeat(32),
        ...options.env,
      },
      ...more,
    });
    started.push(app);
    return app;
  };

  beforeAll(async () => {
    receiver = await startReceiver(options.respond);
    simulated = await startSimulatedAnchors({
      clock: options.world?.clock ?? Date.now,
      random: () => 0.5,
      latencyFactor: 0,
      anchors: ['harbour', 'squall'],
    });
    await start();
  });
  afterAll(async () => {
    for (const app of started) await app.close();
    await simulated?.stop();
    await receiver?.stop();
  });

  const harness: WebhooksHarness = {
    get app() {
      const [app] = started;
      if (app === undefined) throw new Error('the app is not started yet');
      return app;
    },
    get receiver() {
      return receiver;
    },
    get simulated() {
      return simulated;
    },
    admin(method, path, body) {
      clients += 1;
      const headers = {
        'x-admin-key': testAdminKey,
        'x-forwarded-for': `203.0.${clients >> 8}.${clients & 255}`,
      };
      return harness.app.client.request(method, path, body === undefined ? { headers } : { headers, body });
    },
    async register(path = '/', events = ['publisher.tick']) {
      const body = { url: receiver.origin + path, events, secret };
      return (await harness.admin('POST', webhooksPath, body)).body;
    },
    startAnother: start,
    settled: (webhookId, count) =>
      vi.waitFor(
        async () => {
          const { body } = await harness.admin<DeliveryPage>(
            'GET',
            `${webhooksPath}/${webhookId}/deliveries`,
          );
          const done = body.items.filter(({ settledAt }) => settledAt !== null);
          if (done.length < count) throw new Error(`${done.length} of ${count} are settled`);
          return done;
        },
        { timeout: 15_000, interval: 50 },
      ),
  };
  return harness;
}
