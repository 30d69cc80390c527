import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { encodeSecretKey } from '../../contract/verification/strkey.js';
import { scriptedService, startScriptedService } from '../fixtures/clients/scripted-service.js';
import { signer, storedIntent } from '../fixtures/disputes/dispute-values.js';
import { insertIntents } from '../fixtures/intents/stored-intents.js';
import { publisherFixture, startTamperingProxy } from '../fixtures/publisher/publisher-over-http.js';
import { testAdminKey } from '../support/app.js';
import { waitFor } from '../support/wait-for.js';
import { type Connection, call, connect, faultOf } from './host.js';

const fixture = await publisherFixture();
const owner = signer('a wallet behind fairlead-mcp');
const score = { anchor: 'harbour', corridor: 'usdc-ngn' };

const batch = await fixture.publish();
const publisherKey = batch.publicKey;
const sequence = String(batch.header.sequence);
const { url } = fixture.app;
const reader = await connect({ args: [url] });
const secret = encodeSecretKey(owner.secretKey);
const env = { FAIRLEAD_ADMIN_KEY: testAdminKey, FAIRLEAD_ACCOUNT_SECRET: secret };
const writer = await connect({ args: [url, '--intents'], env });
const proxy = await startTamperingProxy(fixture.app.url);
/** Was given the key of the publisher. */
const knowing = await connect({ args: [proxy.url, '--key', publisherKey] });
afterAll(async () => {
  await knowing.close();
  await proxy.stop();
  await reader.close();
  await writer.close();
});

const listed = async ({ client }: Connection) => (await client.listTools()).tools;

it('a host with keys and options lists every tool and calls each of them with success', async () => {
  const called = new Set<string>();
  const use = (name: string, args: Record<string, unknown> = {}) => {
    called.add(name);
    return call(writer, name, args);
  };

  const { items: corridors } = await use('list_corridors');
  expect(corridors.map(({ id }: { id: string }) => id)).toContain('usdc-ngn');
  const rates = await use('get_rates', { corridor: 'USDC-NGN', amount: 100 });
  expect(rates).toMatchObject({ corridor: 'usdc-ngn', amount: '100' });
  await use('get_rate_history', { corridor: 'usdc-ngn' });
  await use('list_anchors', { corridor: 'usdc-ngn' });
  await use('get_anchor', { anchor: 'harbour' });
  await use('get_observations', { anchor: 'harbour' });
  await use('get_snapshot');
  await use('get_leaderboard', { window: '30' });
  await use('get_reputation', { anchor: 'harbour' });
  await use('get_reputation_history', { anchor: 'harbour' });
  await use('get_public_scores');
  await use('get_publisher_health');
  await use('list_batches');
  await use('get_batch', { sequence });
  await use('list_batch_entries', { sequence });
  await use('prove_batch_entry', { sequence, ...score });
  expect(await use('verify_score', score)).toMatchObject({ verified: true, anchorId: 'harbour' });

  const terms = { corridor: 'usdc-ngn', anchorId: 'harbour', account: owner.account, sellAmount: '100' };
  const intent = await use('create_intent', terms);
  expect(intent.nonce).toMatch(/^[\w-]{22,}$/);
  const again = await call(writer, 'create_intent', { ...terms, nonce: intent.nonce });
  expect(again.intentHash).toBe(intent.intentHash);
  const { intentHash, nonce } = intent;
  const attached = await use('attach_transaction', { intentHash, nonce, anchorTransactionId: 'tx-1' });
  expect(attached.transaction.id).toBe('tx-1');
  expect(await use('get_intent', { intentHash })).toMatchObject({ status: 'pending' });

  const ended = storedIntent(owner.account, 'settled');
  await insertIntents(fixture.app.connection, ended);
  const reason = 'The bank says that nothing arrived.';
  const dispute = await use('file_dispute', { intentHash: ended._id, anchorId: 'harbour', reason });
  expect(dispute).toMatchObject({ status: 'open', filedBy: 'account' });
  const { items: open } = await use('list_disputes', { status: 'open' });
  expect(open[0]).toMatchObject({ id: dispute.id, reason });
  expect(await use('get_dispute', { id: dispute.id })).toMatchObject({ publicKey: owner.account });
  await use('resolve_dispute', { id: dispute.id, action: 'reject', note: 'The receipt shows the payout.' });

  const hook = { url: 'https://receiver.example/hook', secret: 'only-for-trying-out-webhooks' };
  const { id } = await use('create_webhook', { ...hook, events: ['intent.settled'] });
  await use('list_webhooks');
  await use('get_webhook', { id });
  await use('update_webhook', { id, enabled: false });
  await use('rotate_webhook_secret', { id, secret: 'another-one-for-trying-out' });
  const delivery = await use('test_webhook', { id });
  await use('list_deliveries', { id });
  await use('resend_delivery', { id, deliveryId: delivery.id });
  await use('resend_failed_deliveries', { id, since: '2026-11-21T09:30:00Z' });
  await use('delete_webhook', { id });
  await use('invalidate_cache', { scope: 'rates' });

  const tools = await listed(writer);
  expect([...called].sort()).toEqual(tools.map(({ name }) => name).sort());
}, 120_000);

describe('a host without a key or an option', () => {
  it('is refused a tool that writes, called by its name', async () => {
    for (const name of ['create_intent', 'file_dispute', 'create_webhook', 'list_disputes', 'reconcile'])
      await expect(reader.client.callTool({ name, arguments: {} })).rejects.toThrow(
        `there is no tool ${name}`,
      );
  });

  it('is told code, message and whether to retry, of the service and of itself', async () => {
    const unknown = await faultOf(reader, 'get_rates', { corridor: 'usdc-zzz', amount: '100' });
    const message = expect.stringMatching(/\w/);
    expect(unknown).toMatchObject({ code: 'UNKNOWN_CORRIDOR', message, retry: false });
    const mistyped = await faultOf(reader, 'get_rates', { corridor: 'usdc-ngn', amonut: '100' });
    expect(mistyped).toMatchObject({ code: 'INVALID_REQUEST', retry: false });
    expect(mistyped.message).toContain("'amonut'");
    const details = [{ path: 'intentHash', message: expect.anything() }];
    expect(await faultOf(reader, 'get_intent', {})).toMatchObject({ code: 'INVALID_REQUEST', details });
    const unreachable = await connect({ args: ['http://127.0.0.1:9'] });
    expect(await faultOf(unreachable, 'list_corridors')).toMatchObject({ code: 'UNREACHABLE', retry: true });
    await unreachable.close();
  });
});

const later = (signed: object) => {
  const time = '2126-11-21T09:30:00.000Z';
  return { ...signed, ...('createdAt' in signed ? { createdAt: time } : { receivedAt: time }) };
};

describe('verify_score', () => {
  it('says whether the key was given by the user or taken from the service that is checked', async () => {
    const given = await call(knowing, 'verify_score', score);
    expect(given.trust).toMatchObject({ keys: 'given', publicKey: publisherKey });
    expect(given.batch.sequence).toBe(Number(sequence));
    expect(given.entry.score).toBe(given.score);
    const taken = await call(reader, 'verify_score', score);
    const statement = expect.stringContaining('taken from the service');
    expect(taken.trust).toMatchObject({ keys: 'service', statement });
  });

  it('refuses a batch that another key signed than the one given', async () => {
    const other = await connect({ args: [fixture.app.url, '--key', owner.account] });
    const message = expect.stringMatching(/unknown_key.*start fairlead-mcp with --key G/);
    const refused = { code: 'PROOF_REFUSED', message, retry: false };
    expect(await faultOf(other, 'verify_score', score)).toMatchObject(refused);
    await other.close();
  });

  it.each<[string, (body: { entry: object; batch: { header: object; receipt: object } }) => object]>([
    ['another score', (body) => ({ ...body, entry: { ...body.entry, score: '99.99' } })],
    ['the entry of another anchor', (body) => ({ ...body, entry: { ...body.entry, anchorId: 'squall' } })],
    ['another place', (body) => ({ ...body, index: 7 })],
    ['an empty path', (body) => ({ ...body, proof: [] })],
    ['another time', ({ batch, ...body }) => ({ ...body, batch: { ...batch, header: later(batch.header) } })],
    [
      'another receipt',
      ({ batch, ...body }) => ({ ...body, batch: { ...batch, receipt: later(batch.receipt) } }),
    ],
  ])('refuses an answer that was given %s on its way', async (_what, change) => {
    proxy.tamper((url, body) => (url.includes('/proof') ? change(body) : body));
    expect((await faultOf(knowing, 'verify_score', { ...score, sequence })).code).toBe('PROOF_REFUSED');
    proxy.tamper(undefined);
  });
});

describe('a service that does not answer as it should', () => {
  const service = scriptedService();
  const terms = { corridor: 'usdc-ngn', anchorId: 'harbour', account: owner.account, sellAmount: '100' };
  let host: Connection;
  beforeEach(async () => {
    const env = { FAIRLEAD_ADMIN_KEY: testAdminKey };
    host = await connect({ args: [service.url, '--timeout', '2', '--intents', '--key', publisherKey], env });
  });
  afterEach(() => host.close());

  it('leaves the caller the nonce of an intent, so that it can be sent again as the same one', async () => {
    service.answers = [{ status: 200, hangsAt: 'headers' }];
    const sent = { nonce: expect.stringMatching(/^[\w-]{22,}$/) };
    expect(await faultOf(host, 'create_intent', terms)).toMatchObject({ code: 'TIMEOUT', retry: true, sent });
  });

  it('is not waited for once the host cancels the call', async () => {
    service.answers = [{ status: 200, hangsAt: 'headers' }];
    const abort = new AbortController();
    const snapshot = { name: 'get_snapshot', arguments: {} };
    const pending = host.client.callTool(snapshot, undefined, { signal: abort.signal });
    const rejected = expect(pending).rejects.toThrow('the user pressed stop');
    await waitFor(() => expect(service.requests).toHaveLength(1));
    abort.abort(new Error('the user pressed stop'));
    await rejected;
    await service.requests[0]?.closed;
  });

  it.each<[string, Record<string, unknown>]>([
    ['list_corridors', {}],
    ['create_intent', terms],
    ['list_webhooks', {}],
    ['verify_score', score],
    ['verify_score', { ...score, sequence: '1' }],
  ])('leads %s to no other address by a redirect', async (name, args) => {
    const elsewhere = await startScriptedService();
    service.answers = [{ status: 307, headers: { location: `${elsewhere.url}/take` } }];
    const message = expect.stringContaining('redirect');
    expect(await faultOf(host, name, args)).toMatchObject({ code: 'UNREACHABLE', message });
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });
});
