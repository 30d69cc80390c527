import { describe, expect, it } from '@jest/globals';
import { type AppRouter, isAppRoute } from '@ts-rest/core';
import { z } from 'zod';
import { contract } from '../../../contract/index.js';
import { metadataOf } from '../../../server/http/route-table.js';
import { newClient } from '../../fixtures/new-client.js';
import { testAdminKey, testApp, testCronSecret } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

type Part = 'path' | 'query' | 'body';

/** One place where a request names a corridor, an anchor or a delivery method. */
interface Place {
  operationId: string;
  part: Part;
  name: string;
}

const names = ['corridor', 'anchor', 'anchorId', 'deliveryMethod'];
const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';

/** Every such place of the contract. */
function placesOf(router: AppRouter): Place[] {
  return Object.values(router).flatMap((node) => {
    if (!isAppRoute(node)) return placesOf(node as AppRouter);
    const { operationId } = metadataOf(node);
    const parts = { path: node.pathParams, query: node.query, body: 'body' in node ? node.body : undefined };
    return Object.entries(parts).flatMap(([part, schema]) =>
      membersOf(schema)
        .filter((name) => names.includes(name))
        .map((name) => ({ operationId, part: part as Part, name })),
    );
  });
}

function membersOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape as object);
  if (schema instanceof z.ZodOptional) return membersOf(schema.unwrap());
  if (schema instanceof z.ZodEffects) return membersOf(schema.innerType());
  return [];
}

/** A request that is valid except for the value at one place. */
interface Example {
  method: 'GET' | 'POST';
  path: string;
  good: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, string>;
  headers?: Record<string, string>;
}

const admin = { 'x-admin-key': testAdminKey };
const get = (path: string, good: Record<string, string>, more: Partial<Example> = {}): Example => ({
  ...{ method: 'GET', path, good },
  ...more,
});
const [anchor, corridor] = [{ anchor: 'harbour' }, { corridor: 'usdc-ngn' }];
const pair = { ...anchor, ...corridor };
const nonce = 'a-nonce-of-the-tests-0001';
const terms = { ...corridor, anchorId: 'harbour', account, sellAmount: '100', nonce };
const [bank, post] = [{ deliveryMethod: 'bank_account' }, { method: 'POST' } as const];
const named = { ...corridor, anchorId: 'harbour', ...bank };
const examples: Record<string, Example> = {
  getRates: get('/api/rates/:corridor', { ...corridor, ...bank }),
  getRateHistory: get('/api/rates/:corridor/history', corridor),
  listAnchors: get('/api/anchors', corridor),
  getAnchor: get('/api/anchors/:anchor', anchor),
  getObservations: get('/api/anchors/:anchor/observations', anchor),
  getLeaderboard: get('/api/reputation/leaderboard', corridor),
  getReputation: get('/api/reputation/:anchor', anchor),
  getReputationHistory: get('/api/reputation/:anchor/history', pair),
  proveBatchEntry: get('/api/publisher/batches/1/proof', pair, { query: pair }),
  listDisputes: get('/api/admin/disputes', anchor, { headers: admin }),
  invalidateCache: get('/api/admin/cache/invalidate', corridor, { ...post, body: {}, headers: admin }),
  createIntent: get('/api/intent/offramp', named, { ...post, body: terms }),
};

/** Operations with tests of their own: the name is compared with that of an existing intent, or the answer does not end. */
const elsewhere = ['fileDispute', 'streamRates'];

const unknown: Record<string, string> = {
  corridor: 'usdc-zzz',
  anchor: 'nobody',
  anchorId: 'nobody',
  deliveryMethod: 'pigeon',
};
const codeInPath: Record<string, string> = { corridor: 'UNKNOWN_CORRIDOR', anchor: 'UNKNOWN_ANCHOR' };

const app = await testApp({ env: { PUBLISHER_SECRET_KEY: 'ab'.repeat(32) } });
// Creates a ranking and a batch.
for (const path of ['/api/reputation/refresh', '/api/publisher/tick'])
  await app.client.request('POST', path, { headers: { authorization: `Bearer ${testCronSecret}` } });

function send(place: Place, value: string) {
  const example = examples[place.operationId];
  if (example === undefined) throw new Error(`no example of ${place.operationId}`);
  const put = (part: Part) => (place.part === part ? { [place.name]: value } : {});
  const inPath = { ...example.good, ...put('path') };
  const path = example.path.replace(/:(\w+)/g, (_all, name: string) => inPath[name] ?? '');
  const query = { ...example.query, ...put('query') };
  return app.client.request<Record<string, unknown>>(example.method, path, {
    headers: { ...example.headers, ...newClient() },
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(example.body === undefined ? {} : { body: { ...example.body, ...put('body') } }),
  });
}

const places = placesOf(contract).filter(({ operationId }) => !elsewhere.includes(operationId));

describe('a name that is unknown', () => {
  it('has an example for every place of the contract that takes one', () => {
    expect(new Set(places.map(({ operationId }) => operationId))).toEqual(new Set(Object.keys(examples)));
  });

  it.each(places)('is 404 in a path and 422 elsewhere: $operationId, $name in the $part', async (place) => {
    const { status, body } = await send(place, unknown[place.name] ?? '');
    const path = `${place.part}.${place.name}`;
    const elsewhere = [422, { code: 'UNSUPPORTED_PAIR', details: [{ path }] }];
    const expected = place.part === 'path' ? [404, { code: codeInPath[place.name] }] : elsewhere;
    expect([status, body]).toMatchObject(expected);
  });
});

describe('a name in capital letters', () => {
  const ofTheMoment = 'asOf quotedAt invalidatedAt epoch droppedEntries createdAt updatedAt'.split(' ');
  const lasting = (body: unknown) =>
    JSON.parse(JSON.stringify(body, (key, value) => (ofTheMoment.includes(key) ? undefined : value)));

  it.each(places)('is the same as in small ones: $operationId, $name in the $part', async (place) => {
    const good = examples[place.operationId]?.good[place.name] ?? '';
    // On a busy machine an anchor may be late for one of the two, and in time for the next.
    await waitFor(
      async () => {
        const usual = await send(place, good);
        const loud = await send(place, good.toUpperCase());
        for (const { status } of [usual, loud]) expect([200, 201]).toContain(status);
        // The delivery method is part of an intent's identity as the wallet wrote it.
        if (place.operationId === 'createIntent' && place.name === 'deliveryMethod')
          expect(loud.body.deliveryMethod).toBe(good.toUpperCase());
        else expect(lasting(loud.body)).toEqual(lasting(usual.body));
      },
      { timeout: 30_000, interval: 500 },
    );
  });
});
