import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PublishedBatch } from '../../../contract/schemas/publisher.js';
import { intentHash } from '../../../contract/verification/intent-hash.js';
import { type ReferenceOracle, startReferenceOracle } from '../../../scripts/reference-oracle/index.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { disputeOf, type Signer, signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import type { Received } from '../../support/answers.js';
import { startTestApp, type TestApp, testAdminKey, testCronSecret } from '../../support/app.js';
import { type PrivateMongo, privateMongo } from '../../support/database.js';
import { expectFor } from '../../support/expect-for.js';
import { waitFor } from '../../support/wait-for.js';

/** An answer takes about 2 s; the rest is a margin for a busy machine. */
const answerWithinMs = 5_000;
const rounds = 3;
const recorded = 40;
const owner = signer('of the stopped database');
const admin = { 'x-admin-key': testAdminKey };
const internal = { authorization: `Bearer ${testCronSecret}` };
const internalPaths = ['/api/reputation/reconcile', '/api/reputation/refresh', '/api/publisher/tick'];

let mongo: PrivateMongo;
let anchors: SimulatedAnchors;
let oracle: ReferenceOracle;
let app: TestApp;

beforeAll(async () => {
  mongo = await privateMongo();
  oracle = await startReferenceOracle({ clock: Date.now });
  anchors = await startSimulatedAnchors({
    clock: Date.now,
    random: () => 0.5,
    latencyFactor: 0,
    anchors: ['harbour'],
  });
  app = await startTestApp({
    uri: mongo.uri,
    simulated: anchors,
    env: {
      PUBLISHER_SECRET_KEY: '15'.repeat(32),
      ORACLE_URL: oracle.url,
      WEBHOOK_KEY: '3c'.repeat(32),
    },
  });
  await addOutcomes(recorded);
  for (const path of internalPaths) expect((await send('POST', path, internal)).status).toBe(200);
  expect((await send<{ items: unknown[] }>('GET', '/api/publisher/batches')).body.items).toHaveLength(1);
});
afterAll(async () => {
  await app?.close();
  await anchors?.stop();
  await oracle?.stop();
  await mongo?.stop();
});

let outcomes = 0;
/** Stores outcomes of this many accounts, before the database stops. */
async function addOutcomes(count: number): Promise<Intent[]> {
  const intents = Array.from({ length: count }, (_, index) =>
    storedIntent(signer(`account ${index} of ${randomBytes(4).toString('hex')}`).account, 'settled'),
  );
  await insertIntents(app.connection, ...intents);
  outcomes += count;
  return intents;
}

let clients = 0;
async function send<Body = unknown>(method: string, path: string, headers = {}, body?: unknown) {
  clients += 1;
  const startedAt = performance.now();
  const client = { 'x-forwarded-for': `203.0.${clients >> 8}.${clients & 255}`, ...headers };
  const answer: Received<Body> = await app.client.request(method, path, { headers: client, body });
  return { ...answer, path: `${method} ${path}`, elapsedMs: performance.now() - startedAt };
}

const newTerms = () => ({
  corridor: 'usdc-ngn',
  anchorId: 'harbour',
  account: owner.account,
  sellAmount: '100',
  nonce: randomBytes(24).toString('base64url'),
});
const fileDispute = (intent: Intent, by: Signer) =>
  send('POST', '/api/reputation/dispute', {}, disputeOf(intent, by));

async function addIntent({ account }: Signer): Promise<Intent> {
  const intent = storedIntent(account, 'settled');
  await insertIntents(app.connection, intent);
  outcomes += 1;
  return intent;
}

describe('while mongod is stopped', () => {
  it('answers 503 NOT_READY in time to whatever needs it, and leaves nothing half written', async () => {
    const disputed = await addIntent(owner);
    await addOutcomes(recorded);
    const known = newTerms();
    expect((await send('POST', '/api/intent/offramp', {}, known)).status).toBe(201);
    const refused = Array.from({ length: rounds }, newTerms);

    mongo.freeze();
    try {
      for (const terms of refused) {
        const answers = await Promise.all([
          send('POST', '/api/intent/offramp', {}, terms),
          send('POST', '/api/intent/offramp', {}, { ...known, anchorTransactionId: 'attached-meanwhile' }),
          send('GET', `/api/intent/${intentHash(known)}`),
          fileDispute(disputed, owner),
          ...internalPaths.map((path) => send('POST', path, internal)),
          send('GET', '/api/publisher/health'),
          send('GET', '/api/publisher/batches'),
          send('GET', '/api/publisher/batches/1'),
          send('GET', '/api/publisher/batches/1/entries'),
          send('GET', '/api/publisher/batches/1/proof?anchor=harbour&corridor=usdc-ngn'),
          send('GET', '/api/admin/disputes', admin),
          send('GET', '/api/admin/webhooks', admin),
        ]);
        for (const { path, status, body, headers, elapsedMs } of answers) {
          const notReady = { code: 'NOT_READY', message: expect.any(String), retryAfter: expect.any(Number) };
          expect([path, status, body]).toEqual([path, 503, notReady]);
          expect(headers.get('retry-after')).toBe(String((body as { retryAfter: number }).retryAfter));
          expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
          expectFor(path, elapsedMs).toBeLessThan(answerWithinMs);
        }
      }
    } finally {
      mongo.thaw();
    }

    await areWhole(refused, known);
    expect((await untilReady(() => fileDispute(disputed, owner))).status).toBe(201);
    await isCountedOnce();
  }, 120_000);
});

/** Each intent is recorded whole or not at all, and a repeated request is answered as if there had been no failure. */
async function areWhole(refused: ReturnType<typeof newTerms>[], known: ReturnType<typeof newTerms>) {
  for (const terms of refused) {
    const again = await untilReady(() => send('POST', '/api/intent/offramp', {}, terms));
    expect([200, 201]).toContain(again.status);
    expect(again.body).toMatchObject({ intentHash: intentHash(terms), status: 'pending', sellAmount: '100' });
  }
  const attached = { ...known, anchorTransactionId: 'attached-meanwhile' };
  const again = await send('POST', '/api/intent/offramp', {}, attached);
  expect(again.status).toBe(200);
  const document = await app.connection
    .collection<{ _id: string }>('intents')
    .findOne({ _id: intentHash(known) });
  expect(document).toMatchObject({ transactionId: 'attached-meanwhile', attachedAt: expect.any(Date) });
}

/** Every outcome is counted once, and the log continues without a gap, each batch with all of its entries. */
async function isCountedOnce() {
  for (const path of internalPaths) {
    expect((await untilReady(() => send('POST', path, internal))).status).toBe(200);
  }
  const { body: reputation } = await send<{ corridors: { outcomes: number }[] }>(
    'GET',
    '/api/reputation/harbour',
  );
  const counted = reputation.corridors.reduce((sum, card) => sum + card.outcomes, 0);
  expect(counted).toBe(outcomes);
  const { body } = await send<{ items: PublishedBatch[] }>('GET', '/api/publisher/batches?order=asc');
  const headers = body.items.map(({ header }) => header);
  expect(headers.map(({ sequence }) => sequence)).toEqual(headers.map((_, index) => index + 1));
  expect(headers.length).toBeGreaterThanOrEqual(2);
  for (const { sequence, size } of headers) {
    const entries = await send<{ items: unknown[] }>('GET', `/api/publisher/batches/${sequence}/entries`);
    expect(entries.body.items).toHaveLength(size);
  }
  expect(oracle.taken().map(({ header }) => header)).toEqual(headers);
}

/** An earlier request may have reached the database when it continued, and still be under way. */
function untilReady<T extends { status: number }>(work: () => Promise<T>): Promise<T> {
  return waitFor(
    async () => {
      const answer = await work();
      if (answer.status === 503 || answer.status === 409) throw new Error(`still ${answer.status}`);
      return answer;
    },
    { timeout: 45_000, interval: 250 },
  );
}
