import { beforeEach, describe, expect, it } from '@jest/globals';
import { answering, type Listener, listen } from '../../fixtures/outbound/listener.js';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import type { DeliveryFixture, DeliveryFixtureOptions } from '../../fixtures/webhooks/delivery-fixture.js';
import { testDatabase } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import vectors from '../../vectors/outbound-addresses.json' with { type: 'json' };

const { uri } = testDatabase();
/** A listener that no call may reach. */
let hidden: Listener;
const { open: openFixture, receiver, onEnd } = closedAfterEach(uri);

beforeEach(async () => {
  hidden = await listen(answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  onEnd(async () => {
    await hidden.close();
    expect(hidden.seen).toMatchObject({ connections: 0, bytesIn: 0 });
  });
});

async function open(options: Partial<DeliveryFixtureOptions> = {}): Promise<DeliveryFixture> {
  const fixture = await openFixture(options);
  await fixture.clear();
  return fixture;
}

async function exhaust(fixture: DeliveryFixture, id: string) {
  await fixture.emitTicks(1);
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await fixture.deliverAllDue();
    await fixture.age(360_000);
  }
  return (await fixture.deliveriesOf(id))[0];
}

const blocked = {
  state: 'exhausted',
  attempts: Array(4).fill(expect.objectContaining({ outcome: 'blocked', status: null, answer: null })),
};

describe('a registration', () => {
  it('of an address that must not be called is refused, in every spelling', async () => {
    const fixture = await open();
    for (const host of [...vectors.spellings.blocked, ...vectors.spellings.invalid]) {
      for (const url of [`https://${host}/`, `https://${host}:${hidden.port}/`]) {
        await expectFor(url, fixture.register(url)).rejects.toMatchObject({
          code: 'INVALID_REQUEST',
          extras: { details: [{ path: 'body.url' }] },
        });
      }
    }
    expect((await fixture.webhooks.list({})).items).toEqual([]);
  });

  it.each([
    'http://wallet.example/',
    'https://wallet.example:8443/',
    'https://user:password@wallet.example/',
    'https://localhost/',
    'https://wallet.example./',
    'https://169.254.169.254/',
  ])('of %s is refused, and so is a change to it', async (url) => {
    const fixture = await open();
    await expect(fixture.register(url)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const { id } = await fixture.register('https://wallet.example/hook');
    await expect(fixture.webhooks.update(id, { url })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('of an address that the operator lists is accepted', async () => {
    const fixture = await open({ allow: ['http://127.0.0.1:9'] });
    expect(await fixture.register('http://127.0.0.1:9/hook')).toMatchObject({ enabled: true });
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
    const fixture = await open({ lookup: async () => addresses });
    const { id } = await fixture.register('https://wallet.example/hook');
    expect(await exhaust(fixture, id)).toMatchObject(blocked);
  });

  it('to an address that the operator no longer lists is blocked', async () => {
    const listing = await open({ allow: [`http://127.0.0.1:${hidden.port}`] });
    const { id } = await listing.register(`http://127.0.0.1:${hidden.port}/`);
    const fixture = await openFixture();
    expect(await exhaust(fixture, id)).toMatchObject(blocked);
  });

  it('that is redirected does not follow the redirect', async () => {
    const to = await receiver((response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${hidden.port}/` }).end(),
    );
    const fixture = await open({ allow: [to.origin] });
    const { id } = await fixture.register(to.origin);
    expect(await exhaust(fixture, id)).toMatchObject({ state: 'exhausted' });
    expect(to.received).toHaveLength(4);
  });
});
