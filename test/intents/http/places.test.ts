import { expect, it } from '@jest/globals';
import { clientHash } from '../../../server/http/client-key.js';
import { day, intentsFixture } from '../../fixtures/intents/intents-over-http.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import { waitingIntent } from '../../fixtures/intents/waiting-intents.js';

const fixture = intentsFixture({ anchors: ['harbour'] });
const address = '198.51.100.7';

function polled(): string[] {
  return fixture.anchors
    .anchor('harbour')
    .seen.flatMap(({ url }) => /^\/sep24\/transaction\?id=(.+)$/.exec(url)?.slice(1) ?? []);
}

function register(anchorTransactionId?: string) {
  const body = fixture.terms(anchorTransactionId === undefined ? {} : { anchorTransactionId });
  const headers = { 'x-forwarded-for': address };
  return fixture.app.client.request<{ intentHash: string }>('POST', '/api/intent/offramp', { headers, body });
}

it('polls twenty invented transactions of an address at a time, and another address beside them', async () => {
  const invented = Array.from({ length: 18 }, (_, index) =>
    waitingIntent({ id: `invented-${index}`, nowMs: fixture.now(), address }),
  );
  await insertIntents(fixture.app.connection, ...invented);
  for (const id of ['known-1', 'known-2', 'known-3', 'known-4'])
    expect((await register(id)).status).toBe(201);
  const states = () => fixture.documents().distinct('transactionId', { poll: 'waiting' });
  expect(await states()).toEqual(['known-3', 'known-4']);
  expect((await fixture.post(fixture.terms({ anchorTransactionId: 'honest' }))).status).toBe(201);
  await fixture.reconcile();
  expect(polled()).toContain('honest');
  expect(polled()).not.toContain('known-3');

  // Two of the invented ones are given up, so that two places are free.
  const givenUp = { client: clientHash(address), transactionId: /^invented-[01]$/ };
  await fixture.documents().updateMany(givenUp, { $set: { poll: 'never', unknownPolls: 10 } });
  await fixture.settle();
  expect(await states()).toEqual([]);
  expect(polled()).toEqual(expect.arrayContaining(['known-3', 'known-4']));
});

it('removes what nobody paid by a TTL: three days after its end without a transaction, 31 days with one', async () => {
  const bare = (await register()).body.intentHash;
  const attached = (await register('never-paid')).body.intentHash;
  await fixture.pass(2 * day);
  await fixture.settle();
  const ended = fixture.now();
  const stored = await fixture
    .documents()
    .find({ _id: { $in: [bare, attached] as never[] } })
    .toArray();
  const keptDays = (hash: string) => {
    const removeAt = stored.find(({ _id }) => String(_id) === hash)?.removeAt as Date;
    return Math.round((removeAt.getTime() - ended) / day);
  };
  expect([keptDays(bare), keptDays(attached)]).toEqual([3, 31]);
  const indexes = await fixture.documents().indexes();
  expect(indexes).toContainEqual(expect.objectContaining({ key: { removeAt: 1 }, expireAfterSeconds: 0 }));
});
