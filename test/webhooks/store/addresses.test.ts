import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type HarnessOptions,
  openWebhooks,
  type WebhooksHarness,
} from '../../fixtures/deliveries/delivery-instance.js';
import { startReceiver } from '../../fixtures/deliveries/receiver.js';
import { answering, type Listener, listen } from '../../fixtures/outbound/listener.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import vectors from '../../vectors/outbound-addresses.json' with { type: 'json' };

const { uri } = testDatabase();
/** Nothing may reach it. */
let hidden: Listener;
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  hidden = await listen(answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  closers.push(hidden.close);
});
afterEach(async () => {
  expect(hidden.seen).toMatchObject({ connections: 0, bytesIn: 0 });
  for (const close of closers.splice(0).reverse()) await close();
});

async function open(options: Partial<HarnessOptions> = {}): Promise<WebhooksHarness> {
  const harness = await openWebhooks({ uri, world: { now: Date.now() }, ...options });
  closers.push(harness.close);
  await harness.clear();
  return harness;
}

async function exhaust(harness: WebhooksHarness, id: string) {
  await harness.emitTick();
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await harness.dispatcher.runOnce();
    harness.world.now += 360_000;
  }
  return (await harness.deliveriesOf(id))[0];
}

const blocked = {
  state: 'exhausted',
  attempts: Array(4).fill(expect.objectContaining({ outcome: 'blocked', status: null, answer: null })),
};

describe('a registration', () => {
  it('of an address that may not be called is refused, in whatever spelling', async () => {
    const harness = await open();
    for (const host of [...vectors.spellings.blocked, ...vectors.spellings.invalid]) {
      for (const url of [`https://${host}/`, `https://${host}:${hidden.port}/`]) {
        await expectFor(url, harness.register(url)).rejects.toMatchObject({
          code: 'INVALID_REQUEST',
          extras: { details: [{ path: 'body.url' }] },
        });
      }
    }
    expect((await harness.admin.list({})).items).toEqual([]);
  });

  it.each([
    'http://wallet.example/',
    'https://wallet.example:8443/',
    'https://user:password@wallet.example/',
    'https://localhost/',
    'https://wallet.example./',
    'https://169.254.169.254/',
  ])('of %s is refused, and so is a change to it', async (url) => {
    const harness = await open();
    await expect(harness.register(url)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const { id } = await harness.register('https://wallet.example/hook');
    await expect(harness.admin.update(id, { url })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('of what the operator lists is taken', async () => {
    const harness = await open({ allow: ['http://127.0.0.1:9'] });
    expect(await harness.register('http://127.0.0.1:9/hook')).toMatchObject({ enabled: true });
  });
});

describe('a delivery', () => {
  it.each([
    ['loopback', ['127.0.0.1']],
    ['loopback behind a public address', ['93.184.215.14', '127.0.0.1']],
    ['loopback over IPv6', ['::1']],
    ['mapped loopback', ['::ffff:127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
  ])('to a name that leads to %s is blocked, four times', async (_what, addresses) => {
    const harness = await open({ lookup: async () => addresses });
    const { id } = await harness.register('https://wallet.example/hook');
    expect(await exhaust(harness, id)).toMatchObject(blocked);
  });

  it('to what the operator no longer lists is blocked', async () => {
    const listing = await open({ allow: [`http://127.0.0.1:${hidden.port}`] });
    const { id } = await listing.register(`http://127.0.0.1:${hidden.port}/`);
    const harness = await openWebhooks({ uri, world: { now: Date.now() } });
    closers.push(harness.close);
    expect(await exhaust(harness, id)).toMatchObject(blocked);
  });

  it('that is redirected goes nowhere else', async () => {
    const to = await startReceiver((response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${hidden.port}/` }).end(),
    );
    closers.push(to.stop);
    const harness = await open({ allow: [to.origin] });
    const { id } = await harness.register(to.origin);
    expect(await exhaust(harness, id)).toMatchObject({ state: 'exhausted' });
    expect(to.received).toHaveLength(4);
  });
});
