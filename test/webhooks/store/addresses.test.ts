import { beforeEach, expect, it } from '@jest/globals';
import { answering, type Listener, listen } from '../../fixtures/outbound/calls.js';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import type { DeliveryFixture } from '../../fixtures/webhooks/delivery-fixture.js';
import { expectFor } from '../../support/expect-for.js';
import vectors from '../../vectors/outbound-addresses.json' with { type: 'json' };

/** A listener that no call may reach. */
let hidden: Listener;
const { open, onEnd } = closedAfterEach();

beforeEach(async () => {
  hidden = await listen(answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  onEnd(async () => {
    await hidden.close();
    expect(hidden.seen).toMatchObject({ connections: 0, bytesIn: 0 });
  });
});

async function expectBlocked(fixture: DeliveryFixture, id: string) {
  await fixture.emitTicks(1);
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await fixture.deliverAllDue();
    await fixture.age(360_000);
  }
  expect((await fixture.deliveriesOf(id))[0]).toMatchObject({
    state: 'exhausted',
    attempts: Array(4).fill(expect.objectContaining({ outcome: 'blocked', status: null, answer: null })),
  });
}

it('an address that must not be called is refused at registration and as a change, in every spelling', async () => {
  const fixture = await open();
  await fixture.clear();
  const { id } = await fixture.register('https://wallet.example/hook');
  for (const host of [...vectors.spellings.blocked, ...vectors.spellings.invalid]) {
    const url = `https://${host}:${hidden.port}/`;
    const refused = { code: 'INVALID_REQUEST', extras: { details: [{ path: 'body.url' }] } };
    await expectFor(url, fixture.register(url)).rejects.toMatchObject(refused);
    await expectFor(url, fixture.webhooks.update(id, { url })).rejects.toMatchObject(refused);
  }
  expect((await fixture.webhooks.list({})).items).toHaveLength(1);
});

it('a delivery to an address that the operator no longer lists is blocked', async () => {
  const origin = `http://127.0.0.1:${hidden.port}`;
  const listing = await open({ allow: [origin] });
  await listing.clear();
  const { id } = await listing.register(origin);
  await expectBlocked(await open(), id);
});
