import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import type { PublisherHealth } from '../../../contract/schemas/publisher.js';
import { encodePublicKey, encodeSecretKey } from '../../../contract/verification/strkey.js';
import { deliveryHeaders } from '../../../server/webhooks/signed-headers.js';
import { intentsFixture, minute } from '../../fixtures/intents/intents-over-http.js';
import { testCronSecret } from '../../support/app.js';
import { itWhere } from '../../support/it-where.js';
import { createConsumer } from '../package/consumer.js';
import { placeSnippets, type Snippets, snippets } from './snippets.js';

const fixture = intentsFixture({ anchors: ['harbour'], env: { PUBLISHER_SECRET_KEY: '15'.repeat(32) } });
const wallet = generateWallet();
const consumer = await createConsumer();
const itInstalled = itWhere(
  consumer !== undefined,
  'no npm registry and no npm cache: the snippets of the contract package',
);
let placed: Snippets;
/** The output of tsc, by resolution; the emitted modules are the ones that run. */
const complaints: Record<string, string> = {};

beforeAll(async () => {
  if (consumer === undefined) return;
  placed = placeSnippets(consumer, fixture.app.url);
  for (const resolution of consumer.resolutions) {
    complaints[resolution] = await placed.typeCheck(resolution);
  }
}, 240_000);
afterAll(() => consumer?.remove());

function generateWallet(): { account: string; secretKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const bytes = (text: string | undefined) => new Uint8Array(Buffer.from(text ?? '', 'base64url'));
  return {
    account: encodePublicKey(bytes(publicKey.export({ format: 'jwk' }).x)),
    secretKey: encodeSecretKey(bytes(privateKey.export({ format: 'jwk' }).d)),
  };
}

async function beginWithdrawal(callbackUrl: string): Promise<string> {
  const response = await fetch(
    `${fixture.anchors.anchor('harbour').origin}/sep24/transactions/withdraw/interactive`,
    {
      method: 'POST',
      headers: { authorization: `Bearer sim.${wallet.account}.x`, 'content-type': 'application/json' },
      body: JSON.stringify({
        asset_code: 'USDC',
        amount: '100',
        destination_asset: 'iso4217:NGN',
        on_change_callback: callbackUrl,
      }),
    },
  );
  const { id } = (await response.json()) as { id: string };
  return id;
}

function internal<Body>(path: string) {
  const headers = { authorization: `Bearer ${testCronSecret}` };
  return fixture.app.client.request<Body>('POST', path, { headers });
}

describe("the README's snippets, in a project with the package installed", () => {
  it('are all tested here', () => {
    expect([...snippets.keys()]).toEqual([
      'first-request',
      'light',
      'ts-rest',
      'lists',
      'live',
      'limits',
      'intent',
      'dispute',
      'webhook',
      'proof',
    ]);
  });

  itInstalled.each(['NodeNext', 'Bundler'])('type-check strictly under %s resolution', (resolution) => {
    expect(complaints[resolution]).toBe('');
  });

  itInstalled('make a first request', async () => {
    const { printed } = await placed.run('first-request');
    expect(printed.join('\n')).toMatch(/^Harbour.* pays \d+(\.\d+)? score none yet$/m);
  });

  itInstalled("list the quotes by ts-rest's own client", async () => {
    const { result } = await placed.run('ts-rest', 'quotesFor', 'usdc-ngn');
    expect(result).toMatchObject([{ anchorId: 'harbour' }]);
    await expect(placed.run('ts-rest', 'quotesFor', 'usdc-zzz')).rejects.toThrow('UNKNOWN_CORRIDOR');
  });

  itInstalled('say the best offer, and errors by their code', async () => {
    const { run } = placed;
    expect((await run('light', 'bestOffer', 'usdc-ngn', '100')).result).toMatch(/^Harbour.* pays \d+\.\d\d$/);
    expect((await run('light', 'bestOffer', 'usdc-ngn', '99999999')).result).toMatch(/between/);
    await expect(run('light', 'bestOffer', 'usdc-zzz', '100')).rejects.toThrow('UNKNOWN_CORRIDOR');
  });

  itInstalled('read a list whole', async () => {
    expect((await placed.run('lists', 'corridorsOf', 'harbour')).result).toContain('usdc-ngn');
    expect((await placed.run('lists', 'corridorsOf', 'nobody')).result).toEqual([]);
  });

  itInstalled('wait live for the best offer', async () => {
    const { result, printed } = await placed.run('live', 'onceBest', 'usdc-ngn', 'harbour');
    expect(result).toMatch(/^\d+\.\d\d$/);
    expect(printed).toEqual(['connecting', 'live']);
  });

  itInstalled('tell how many requests are left', async () => {
    const { result } = await placed.run('limits', 'requestsLeft');
    expect(result).toBe(59);
  });

  itInstalled(
    'register an intent, attach its transaction, dispute its outcome, and prove the resulting score',
    async () => {
      const { run } = placed;
      const registered = await run('intent', 'registerIntent', wallet.account);
      const { terms, intent } = registered.result as { terms: { nonce: string }; intent: IntentAnswer };
      expect(intent).toMatchObject({ status: 'pending', account: wallet.account });
      expect(terms.nonce).toMatch(/^[A-Za-z0-9_-]{32}$/);

      const id = await beginWithdrawal(intent.statusCallbackUrl);
      const { result: attached } = await run('intent', 'attachTransaction', terms, id);
      expect(attached).toMatchObject({ id });

      const early = run(
        'dispute',
        'dispute',
        intent.intentHash,
        'harbour',
        'Nothing arrived.',
        wallet.secretKey,
      );
      await expect(early).rejects.toThrow('INTENT_UNRESOLVED');

      await fixture.settle();
      fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
      await fixture.pass(30 * minute);
      await fixture.settle();
      expect((await fixture.read(intent.intentHash)).outcome).toMatchObject({
        status: 'settled',
        scored: true,
      });
      const { result: kinds } = await run('live', 'follow', intent.intentHash);
      expect([(kinds as string[])[0], (kinds as string[]).at(-1)]).toEqual(['registered', 'settled']);

      const { result: dispute } = await run(
        'dispute',
        'dispute',
        intent.intentHash,
        'harbour',
        'Nothing arrived.',
        wallet.secretKey,
      );
      expect(dispute).toMatchObject({ status: 'open', intentHash: intent.intentHash, filedBy: 'account' });

      await internal('/api/reputation/refresh');
      expect((await internal('/api/publisher/tick')).body).toMatchObject({ result: 'published' });
      const health = await fixture.app.client.request<PublisherHealth>('GET', '/api/publisher/health');
      const { keys } = health.body;
      // One outcome is not enough for a score; the signed value is null.
      expect((await run('proof', 'provenScore', '1', 'harbour', 'usdc-ngn', keys)).result).toBeNull();

      const strangersKeys = keys.map((key) => ({ ...key, publicKey: wallet.account }));
      const forged = run('proof', 'provenScore', '1', 'harbour', 'usdc-ngn', strangersKeys);
      await expect(forged).rejects.toThrow(/key/);
    },
    120_000,
  );

  itInstalled('accept a genuine webhook and refuse a forged one', async () => {
    const { receive } = placed;
    const secret = 'a secret of sixteen or more';
    const id = 'evt_01JD7Q4W8T2N6X0ZK3B5';
    const body = JSON.stringify({
      event: 'intent.settled',
      id,
      createdAt: '2026-11-21T09:30:00.000Z',
      data: {
        intentHash: 'ab'.repeat(32),
        anchorId: 'harbour',
        corridor: 'usdc-ngn',
        amount: '100',
        status: 'settled',
      },
    });
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const event = 'intent.settled' as const;
    const parts = { event, eventId: id, body, test: false, secrets: [secret], timestampSeconds };
    const headers = deliveryHeaders(parts);
    const genuine = await receive({ body, headers, secret });
    expect(genuine.result).toBe(204);
    expect(genuine.printed).toEqual([`${id} ${'ab'.repeat(32)} settled`]);
    const forged = await receive({ body: body.replace('"100"', '"900"'), headers, secret });
    expect(forged.result).toBe(401);
    expect(forged.printed).toEqual([]);
  });
});
