import { Writable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { standardSecret, verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import { createLogger } from '../../../server/logger.js';
import {
  type HarnessOptions,
  openWebhooks,
  secret,
  type WebhooksHarness,
} from '../../fixtures/deliveries/delivery-instance.js';
import { type Receiver, type Respond, startReceiver } from '../../fixtures/deliveries/receiver.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';

const { uri } = testDatabase();
const webhookKey = 'a1'.repeat(32);
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function receiver(respond?: Respond): Promise<Receiver> {
  const started = await startReceiver(respond);
  closers.push(started.stop);
  return started;
}

async function open(to: Receiver, options: Partial<HarnessOptions> = {}): Promise<WebhooksHarness> {
  const harness = await openWebhooks({ uri, allow: [to.origin], world: { now: Date.now() }, ...options });
  closers.push(harness.close);
  return harness;
}

/** The real logger, at its most talkative, into memory. */
function capturedLog() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { logger: createLogger({ level: 'debug', destination }), lines };
}

/** Every document of every collection, as text. */
async function dump(harness: WebhooksHarness): Promise<string> {
  const { db } = harness.connection;
  const collections = (await db?.collections()) ?? [];
  const documents = await Promise.all(collections.map((collection) => collection.find().toArray()));
  return mongo.BSON.EJSON.stringify(documents.flat());
}

/** Ways in which a secret could be written down. */
function formsOf(planted: string): string[] {
  const bytes = Buffer.from(planted);
  return [planted, bytes.toString('base64'), bytes.toString('hex'), standardSecret(planted).slice(6)];
}

describe('a planted secret', () => {
  const planted = [
    'planted secret number one',
    'planted secret number two',
    'whsec_cGxhbnRlZCBzZWNyZXQgdGhyZWU=',
  ];

  it('is in no log line, no answer of the administration and no document of the database', async () => {
    const [first = '', second = '', third = ''] = planted;
    const echo: Respond = (response) =>
      response
        .writeHead(response.req.url === '/refuses' ? 400 : 500)
        .end(planted.flatMap(formsOf).join('\n'));
    const to = await receiver(echo);
    const { logger, lines } = capturedLog();
    const harness = await open(to, { webhookKey, logger });
    await harness.clear();
    const answers: unknown[] = [];
    for (const path of ['/fails', '/refuses']) {
      const made = await harness.register(`${to.origin}${path}`, ['publisher.tick'], first);
      answers.push(made, await harness.admin.rotateSecret(made.id, { secret: second }));
      answers.push(await harness.admin.rotateSecret(made.id, { secret: third, overlapSeconds: 60 }));
      await harness.log.sendTest(made.id, undefined);
    }
    for (let step = 0; step < 4; step += 1) {
      await harness.emitTick(step + 1);
      await harness.dispatcher.runOnce();
      harness.world.now += 360_000;
    }
    const list = await harness.admin.list({});
    for (const { id } of list.items) answers.push(await harness.deliveriesOf(id));
    answers.push(list);

    expect(to.received.length).toBeGreaterThan(6);
    expect(lines.length).toBeGreaterThan(3);
    const text = JSON.stringify(answers);
    expect(text).toContain('[secret]');
    const everything = { log: lines.join(''), answers: text, database: await dump(harness) };
    for (const [where, content] of Object.entries(everything)) {
      expectFor(where, content.length).toBeGreaterThan(100);
      for (const form of planted.flatMap(formsOf)) expectFor(where, content.includes(form)).toBe(false);
      expectFor(where, content.includes('planted')).toBe(false);
    }
  });

  it('that was stored in the clear before there was a key is sealed at the next start, and signs as before', async () => {
    const to = await receiver();
    const before = await open(to);
    await before.clear();
    const { id } = await before.register(to.origin, ['publisher.tick'], planted[0]);
    await before.admin.rotateSecret(id, { secret: planted[1] ?? '' });
    expect(await dump(before)).toContain('planted');

    const after = await open(to, { webhookKey });
    expect(await dump(after)).not.toContain('planted');
    await after.emitTick();
    await after.dispatcher.runOnce();
    const { body, headers } = to.received[0] ?? { body: '', headers: {} };
    verifyWebhook({ body, headers, secret: planted[0] ?? '', now: after.world.now });
  });
});

describe('a secret that cannot be opened', () => {
  it('makes deliveries wait, uncounted, and says so once, until the key is there', async () => {
    const to = await receiver();
    const owner = await open(to, { webhookKey });
    await owner.clear();
    const { id } = await owner.register(to.origin);
    await owner.emitTick();

    for (const wrong of [{ webhookKey: 'b2'.repeat(32) }, {}]) {
      const { logger, lines } = capturedLog();
      const stranger = await open(to, { ...wrong, logger });
      for (let look = 0; look < 3; look += 1) await stranger.dispatcher.runOnce();
      expect(lines.filter((line) => line.includes('"level":"error"'))).toHaveLength(1);
      expect(lines.join('')).toContain('WEBHOOK_KEY is missing or is not the key');
    }
    expect(to.received).toEqual([]);
    expect(await owner.deliveriesOf(id)).toMatchObject([{ state: 'pending', attempts: [] }]);

    owner.world.now = Date.now();
    await owner.dispatcher.runOnce();
    const { body, headers } = to.received[0] ?? { body: '', headers: {} };
    verifyWebhook({ body, headers, secret, now: owner.world.now });
  });
});

describe('without a key', () => {
  it('the log says that secrets are stored in the clear', async () => {
    const to = await receiver();
    const { logger, lines } = capturedLog();
    await open(to, { logger });
    expect(lines.join('')).toContain('WEBHOOK_KEY is not set');
  });
});
