import type { ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { listenOnLoopback } from '../../../scripts/lib/loopback-server.js';
import { answerJson } from '../../fixtures/rates/hostile-anchor.js';
import { startTestApp } from '../../support/app.js';
import { testDatabase } from '../../support/database.js';
import { waitFor } from '../../support/wait-for.js';

const database = testDatabase();

/** An anchor that holds its price back until the test releases it. */
async function startHesitantAnchor() {
  const waiting: ServerResponse[] = [];
  const asked: string[] = [];
  const { origin, stop } = await listenOnLoopback((request, response) => {
    asked.push(request.url ?? '');
    waiting.push(response);
  });
  const answer = () => {
    const fee = { total: '0', asset: 'iso4217:NGN' };
    const price = { total_price: '0.001', price: '0.001', sell_amount: '100', buy_amount: '100000', fee };
    for (const response of waiting.splice(0)) answerJson(price)(response.req, response as never);
  };
  return { origin, asked, answer, stop };
}

it('a stop finishes the running request, accepts no new one, and releases every lease', async () => {
  const anchor = await startHesitantAnchor();
  const corridors = [{ id: 'usdc-ngn', deliveryMethods: [] }];
  const app = await startTestApp({
    uri: database.uri,
    allow: [anchor.origin],
    env: { SCHEDULER: 'on' },
    fleet: (fleet) => ({
      ...fleet,
      anchors: [{ id: 'hesitant', name: 'Hesitant', endpoints: { quoteServer: anchor.origin }, corridors }],
      corridors: fleet.corridors.filter(({ id }) => id === 'usdc-ngn'),
    }),
  });
  const leases = app.connection.collection<{ _id: string; token: number }>('leases');
  await waitFor(async () => expect(await leases.countDocuments({ token: { $gt: 0 } })).toBeGreaterThan(0), {
    timeout: 10_000,
  });

  const inHand = app.client.request<{ best: unknown }>('GET', '/api/rates/usdc-ngn?amount=101');
  const isAsked = () => anchor.asked.some((url) => url.includes('sell_amount=101'));
  await waitFor(async () => expect(await isAsked()).toBe(true), { timeout: 5_000 });
  const stopping = app.close();
  const refused = () => expect(fetch(`${app.url}/healthz`)).rejects.toThrow();
  await waitFor(refused, { timeout: 5_000 });
  anchor.answer();
  expect(await inHand).toMatchObject({ status: 200, body: { best: { anchorId: 'hesitant' } } });
  await stopping;

  const after = await startTestApp({ uri: database.uri });
  const held = { $expr: { $gt: ['$expiresAt', '$$NOW'] } };
  expect(await after.connection.collection('leases').countDocuments(held)).toBe(0);
  await after.close();
  await anchor.stop();
});
