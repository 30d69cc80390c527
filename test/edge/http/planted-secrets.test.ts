import { expect, it } from '@jest/globals';
import { mongo } from 'mongoose';
import type { RouteMetadata } from '../../../contract/describe-route.js';
import { contract } from '../../../contract/index.js';
import { intentHash } from '../../../contract/verification/intent-hash.js';
import { listRoutes } from '../../../server/http/route-table.js';
import { storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { expectNowhere } from '../../fixtures/edge/nowhere.js';
import { insertIntents } from '../../fixtures/intents/stored-intents.js';
import { newClient } from '../../fixtures/new-client.js';
import type { RequestOptions } from '../../support/answers.js';
import { waitFor } from '../../support/wait-for.js';
import { freshSecret, plantedService, secrets } from './planted-service.js';

const account = 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L';
const terms = { corridor: 'usdc-ngn', anchorId: 'harbour', account, sellAmount: '100', nonce: secrets.nonce };

const statuses = new Set<number>();
const answers: unknown[] = [];
const service = await plantedService();

/** Sends a request as a new client. */
async function send<Body = { id?: string }>(method: string, path: string, options: RequestOptions = {}) {
  const headers = { ...newClient(), ...options.headers };
  const answer = await service.app.client.request<Body>(method, path, { ...options, headers });
  statuses.add(answer.status);
  answers.push(answer.body, [...answer.headers]);
  return answer;
}

const admin = { 'x-admin-key': secrets.adminKey };
const internal = { authorization: `Bearer ${secrets.cronSecret}` };

/** Uses each secret for its purpose. */
async function useEverySecret(): Promise<void> {
  const webhook = { url: service.receiver.origin, events: ['publisher.tick'], secret: secrets.webhookSecret };
  const { body } = await send('POST', '/api/admin/webhooks', { headers: admin, body: webhook });
  const own = `/api/admin/webhooks/${body.id}`;
  const old = { 'x-admin-key': secrets.oldAdminKey };
  const rotation = { headers: old, body: { secret: secrets.nextWebhookSecret } };
  expect((await send('POST', `${own}/secret`, rotation)).status).toBe(200);
  expect((await send('POST', '/api/intent/offramp', { body: terms })).status).toBe(201);
  expect((await send('POST', '/api/intent/offramp', { body: terms })).status).toBe(200);
  await send('GET', `/api/intent/${intentHash(terms)}`);
  await send('GET', '/api/rates/usdc-ngn?amount=100');
  const changes = { anchorId: 'echo', transactionId: 'asked-of-echo' };
  await insertIntents(service.app.connection, storedIntent(account, null, { changes }));
  for (const path of ['/api/reputation/reconcile', '/api/reputation/refresh', '/api/publisher/tick']) {
    expect((await send('POST', path, { headers: internal })).status).toBe(200);
  }
  await send('POST', `${own}/test`, { headers: admin });
  await waitFor(() => expect(service.receiver.received.length).toBeGreaterThan(0), { timeout: 15_000 });
  await send('GET', `${own}/deliveries`, { headers: admin });
  const bearer = `Bearer ${secrets.partnerToken}`;
  const asked = service.echo.seen.filter(({ authorization }) => authorization === bearer);
  expect(asked.length).toBeGreaterThan(1);
}

const everySecret = Object.values(secrets).join(' ');

const credentialOf = (access: string) => (access === 'admin' ? admin : access === 'internal' ? internal : {});
const filledIn = (path: string, name: string) =>
  path.replace(/:[A-Za-z]+/g, (part) => (part === ':intentHash' ? 'ab'.repeat(32) : name));

/** Requests with secrets in wrong places: in the wrong header, in a query, in bodies that are refused. */
function mistakes(access: string): RequestOptions[] {
  const right = credentialOf(access);
  const members = ['secret', 'nonce', 'reason', 'signature', 'url', 'scope', 'note', 'actor', 'action', 'id'];
  const body = Object.fromEntries(members.map((member) => [member, everySecret]));
  const asText = { headers: { ...right, 'content-type': 'text/plain' }, body: everySecret };
  return [
    { headers: { 'x-admin-key': secrets.cronSecret, authorization: `Bearer ${secrets.adminKey}` } },
    { headers: { authorization: `Basic ${btoa(everySecret)}`, cookie: everySecret } },
    { headers: right, query: { key: everySecret, amount: secrets.nonce, cursor: secrets.adminKey } },
    { headers: right, query: { limit: everySecret } },
    { headers: right, body },
    { headers: right, body: { ...terms, secret: everySecret } },
    { headers: { ...right, 'content-type': 'application/json' }, body: `{"nonce": "${everySecret}"` },
    { headers: right, body: { secret: everySecret.repeat(60) } },
    asText,
  ];
}

/** HEAD for a stream, which does not end: it runs everything that comes before the body. */
function endingMethod(method: string, { stream }: RouteMetadata): string {
  return stream === undefined ? method : 'HEAD';
}

async function makeEveryMistake(): Promise<void> {
  for (const { method, path, metadata } of listRoutes(contract)) {
    const target = filledIn(path, 'harbour');
    for (const mistake of mistakes(metadata.access)) await send(method, target, mistake);
    await send('PUT', target, { query: { secret: everySecret }, headers: { ...admin, ...internal } });
  }
  await send('GET', '/nowhere', { query: { secret: everySecret }, headers: { ...admin, ...internal } });
  await send('GET', '/api/corridors', { query: { secret: everySecret.repeat(5) } });
}

/** Stores a document that no code of this service writes, so that the request with the nonce fails with 500. */
async function failWithin(): Promise<void> {
  const broken = { ...terms, nonce: secrets.brokenNonce };
  const intents = service.app.connection.collection<{ _id: string; version: number }>('intents');
  await intents.insertOne({ _id: intentHash(broken), version: 0 });
  expect((await send('POST', '/api/intent/offramp', { body: broken })).status).toBe(500);
}

async function askWithoutDatabase(): Promise<void> {
  service.database.freeze();
  try {
    const asked = listRoutes(contract).map(({ method, path, metadata }) => {
      const target = filledIn(path, 'usdc-ngn');
      const read = { headers: credentialOf(metadata.access) };
      return send(endingMethod(method, metadata), target, method === 'GET' ? read : { ...read, body: terms });
    });
    await Promise.all(asked);
    const another = { ...terms, nonce: freshSecret('unused') };
    expect((await send('POST', '/api/intent/offramp', { body: another })).status).toBe(503);
  } finally {
    service.database.thaw();
  }
}

it('shows no secret in any answer, error, metric, log line, delivery, submission or stored document', async () => {
  await useEverySecret();
  await makeEveryMistake();
  await failWithin();
  await askWithoutDatabase();
  for (const status of [200, 201, 400, 401, 404, 405, 413, 414, 415, 500, 503])
    expect(statuses).toContain(status);

  const asked = ['/metrics', '/healthz', '/readyz', '/docs', '/openapi.json', '/llms.txt'];
  const operations = await Promise.all(asked.map((path) => fetch(service.app.url + path)));
  const collections = (await service.app.connection.db?.collections()) ?? [];
  const documents = await waitFor(
    () => Promise.all(collections.map((collection) => collection.find().toArray())),
    { timeout: 15_000 },
  );
  await service.app.stop();

  const log = service.lines.join('');
  const messages = service.lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  const written = ['request', 'request failed', 'poll had no answer', 'webhook registered'];
  expect(messages).toEqual(expect.arrayContaining([...written, 'the FX reference cannot be read']));
  expectNowhere(secrets, {
    answers: JSON.stringify(answers),
    operations: (await Promise.all(operations.map((answer) => answer.text()))).join(),
    log,
    deliveries: JSON.stringify(service.receiver.received),
    submissions: JSON.stringify(service.oracle.taken()),
    database: mongo.BSON.EJSON.stringify(documents.flat()),
  });
}, 120_000);
