import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import { standardSecret, verifyWebhook } from '../../../contract/verification/verify-webhook.js';
import { createLogger } from '../../../server/logger.js';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import {
  type DeliveryFixture,
  type DeliveryFixtureOptions,
  secret,
  until,
} from '../../fixtures/webhooks/delivery-fixture.js';
import type { Receiver, Respond } from '../../fixtures/webhooks/receiver.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';

const { uri } = testDatabase();
const { open: openFixture, openWithReceiver, receiver } = closedAfterEach(uri);
const webhookKey = 'a1'.repeat(32);

const open = (to: Receiver, options: Partial<DeliveryFixtureOptions> = {}) =>
  openFixture({ allow: [to.origin], ...options });

/** The real logger at its most verbose level, writing to memory. */
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
async function dump(fixture: DeliveryFixture): Promise<string> {
  const { db } = fixture.connection;
  const collections = (await db?.collections()) ?? [];
  const documents = await Promise.all(collections.map((collection) => collection.find().toArray()));
  return mongo.BSON.EJSON.stringify(documents.flat());
}

/** The forms in which a secret could be written down. */
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
    const fixture = await open(to, { webhookKey, logger });
    await fixture.clear();
    const answers: unknown[] = [];
    for (const path of ['/fails', '/refuses']) {
      const made = await fixture.register(`${to.origin}${path}`, ['publisher.tick'], first);
      answers.push(made, await fixture.webhooks.rotateSecret(made.id, { secret: second }));
      answers.push(await fixture.webhooks.rotateSecret(made.id, { secret: third, overlapSeconds: 60 }));
      await fixture.log.sendTest(made.id, undefined);
    }
    for (let step = 0; step < 4; step += 1) {
      await fixture.emitTicks(step + 1);
      await fixture.deliverAllDue();
      await fixture.age(360_000);
    }
    const list = await fixture.webhooks.list({});
    for (const { id } of list.items) answers.push(await fixture.deliveriesOf(id));
    answers.push(list);

    expect(to.received.length).toBeGreaterThan(6);
    expect(lines.length).toBeGreaterThan(3);
    const text = JSON.stringify(answers);
    expect(text).toContain('[secret]');
    const everything = { log: lines.join(''), answers: text, database: await dump(fixture) };
    for (const [where, content] of Object.entries(everything)) {
      expectFor(where, content.length).toBeGreaterThan(100);
      for (const form of planted.flatMap(formsOf)) expectFor(where, content.includes(form)).toBe(false);
      expectFor(where, content.includes('planted')).toBe(false);
    }
  });
});

describe('a secret that cannot be opened', () => {
  it('makes deliveries wait without counting attempts, and is logged once, until the key is there', async () => {
    const to = await receiver();
    const owner = await open(to, { webhookKey });
    await owner.clear();
    const { id } = await owner.register(to.origin);
    await owner.emitTicks(1);

    for (const wrong of [{ webhookKey: 'b2'.repeat(32) }, {}]) {
      const { logger, lines } = capturedLog();
      const stranger = await open(to, { ...wrong, logger });
      const errors = () => lines.filter((line) => line.includes('"level":"error"'));
      await stranger.deliveries.work();
      await until(() => errors().length > 0);
      for (let look = 0; look < 3; look += 1) await stranger.deliveries.work();
      await stranger.stop();
      expect(errors()).toHaveLength(1);
      expect(lines.join('')).toContain('WEBHOOK_KEY is not the key');
    }
    expect(to.received).toEqual([]);
    expect(await owner.deliveriesOf(id)).toMatchObject([{ state: 'pending', attempts: [] }]);

    await owner.deliverAllDue();
    const { body, headers } = to.received[0] ?? { body: '', headers: {} };
    verifyWebhook({ body, headers, secret });
  });
});

describe('without a key', () => {
  it('a line in the log says that everybody knows the one which stands in', async () => {
    const to = await receiver();
    const { logger, lines } = capturedLog();
    const fixture = await open(to, { logger });
    fixture.start();
    expect(lines.join('')).toContain('WEBHOOK_KEY is not set');
  });
});

describe('the rotation of a secret', () => {
  const next = 'another secret of the webhook tests';
  const day = 86_400_000;

  it('is at no moment refused by a receiver with the old secret, or with both, until the overlap ends', async () => {
    const { to, fixture } = await openWithReceiver();
    const { id } = await fixture.register(to.origin);
    const accepted = async (secrets: string[]) => {
      await fixture.emitTicks(to.received.length + 1);
      await fixture.deliverAllDue();
      const last = to.received.at(-1);
      const { body, headers } = last ?? { body: '', headers: {} };
      return secrets.map((one) => {
        try {
          return verifyWebhook({ body, headers, secret: one.split('|') }) !== null;
        } catch {
          return false;
        }
      });
    };
    const holders = [secret, `${secret}|${next}`, next];
    expect(await accepted(holders)).toEqual([true, true, false]);
    const rotated = await fixture.webhooks.rotateSecret(id, { secret: next });
    expect(Date.parse(rotated.overlapEndsAt ?? '') - Date.parse(rotated.secretChangedAt)).toBe(day);
    expect(await accepted(holders)).toEqual([true, true, false]);
    const marginMs = 20_000;
    await fixture.age(day - marginMs);
    expect(await accepted(holders)).toEqual([true, true, false]);
    await fixture.age(marginMs);
    expect(await accepted(holders)).toEqual([false, true, true]);
    expect((await fixture.webhooks.get(id)).overlapEndsAt).toBeNull();
    expect(to.faults).toEqual([]);
  });
});
