import { describe, expect, it } from '@jest/globals';
import { toHex } from '../../../contract/verification/bytes.js';
import { decodePublicKey } from '../../../contract/verification/strkey.js';
import {
  ada,
  bob,
  disputeOf,
  eve,
  forms,
  harbour,
  signatureIn,
} from '../../fixtures/disputes/dispute-values.js';
import { day, disputePath, disputesFixture } from '../../fixtures/disputes/disputes-over-http.js';

const fixture = await disputesFixture();
describe('201', () => {
  it('for the account against a settled intent, which shows the dispute; one event is sent', async () => {
    const intent = await fixture.add(ada, 'settled');
    const { status, body, headers } = await fixture.file(disputeOf(intent, ada));
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^dsp_[0-9a-f]{36}$/),
      status: 'open',
      intentHash: intent._id,
      anchorId: 'harbour',
      corridor: 'usdc-ngn',
      filedBy: 'account',
      createdAt: expect.any(String),
      resolvedAt: null,
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('location')).toBe(`/api/intent/${intent._id}`);
    expect((await fixture.read(intent._id)).dispute).toEqual({
      disputeId: body.id,
      status: 'open',
      createdAt: body.createdAt,
      resolvedAt: null,
    });
    const { id: disputeId, intentHash, anchorId, corridor } = body;
    expect(await fixture.events(intent._id)).toEqual([
      {
        event: 'dispute.created',
        data: {
          disputeId,
          intentHash,
          anchorId,
          corridor,
          status: 'open',
          reason: 'The bank says that nothing arrived.',
        },
      },
    ]);
  });

  it.each(forms)('for a signature in the form %s', async (form) => {
    const intent = await fixture.add(ada, 'settled');
    const body = { ...disputeOf(intent, ada), signature: signatureIn(form, intent._id, ada) };
    expect((await fixture.file(body)).status).toBe(201);
  });

  it('for the anchor, by its signing key, against a failed intent', async () => {
    const intent = await fixture.add(ada, 'failed');
    const { status, body } = await fixture.file(disputeOf(intent, harbour));
    expect([status, body.filedBy]).toEqual([201, 'anchor']);
  });

  it.each([
    ['settled', 'account'],
    ['failed', 'anchor'],
  ] as const)(
    'for an anchor that pays with its own key, against a %s intent: as the %s',
    async (ending, party) => {
      const intent = await fixture.add(harbour, ending);
      const { status, body } = await fixture.file(disputeOf(intent, harbour));
      expect([status, body.filedBy]).toEqual([201, party]);
    },
  );

  it('for the account against an intent that expired with a transaction attached', async () => {
    const intent = await fixture.add(ada, 'expired');
    expect((await fixture.file(disputeOf(intent, ada))).status).toBe(201);
  });

  it('for a key in upper-case or lower-case hex', async () => {
    const hex = toHex(decodePublicKey(bob.account));
    for (const publicKey of [hex, hex.toUpperCase()]) {
      const intent = await fixture.add(bob, 'settled');
      expect((await fixture.file({ ...disputeOf(intent, bob), publicKey })).status).toBe(201);
    }
    const { items } = (await fixture.list({ anchor: 'harbour', limit: '1' })).body;
    expect(items[0]?.publicKey).toBe(bob.account);
  });

  it('at the last moment of the 30 days after the outcome, or after its recovery', async () => {
    const late = await fixture.add(bob, 'settled');
    const recovered = await fixture.add(bob, 'settled', { recoveredAt: new Date(fixture.now() + 20 * day) });
    fixture.pass(30 * day - 60_000);
    expect((await fixture.file(disputeOf(late, bob))).status).toBe(201);
    fixture.pass(day);
    expect((await fixture.file(disputeOf(recovered, bob))).status).toBe(201);
  });
});

describe('200', () => {
  it('for the same dispute from another client, in another signature form or with another reason; the first one stays', async () => {
    const intent = await fixture.add(ada, 'settled');
    const body = disputeOf(intent, ada);
    const first = await fixture.file(body);
    for (const form of forms) {
      const again = { ...body, reason: 'Another one.', signature: signatureIn(form, intent._id, ada) };
      const { status, body: answer } = await fixture.file(again);
      expect([status, answer]).toEqual([200, first.body]);
    }
    const { items } = (await fixture.list({ anchor: 'harbour', limit: '1' })).body;
    expect(items[0]).toMatchObject({ id: first.body.id, reason: body.reason, audit: [{ action: 'filed' }] });
    expect(await fixture.events(intent._id)).toHaveLength(1);
  });

  it('after the verdict and after the 30 days, with the current state', async () => {
    const intent = await fixture.add(ada, 'settled');
    const { body } = await fixture.file(disputeOf(intent, ada));
    await fixture.resolve({ id: body.id, action: 'reject' });
    fixture.pass(31 * day);
    const again = await fixture.file(disputeOf(intent, ada));
    expect([again.status, again.body.status, again.body.id]).toEqual([200, 'rejected', body.id]);
  });
});

describe('a browser', () => {
  it('may file a dispute from any page, and may read the rate-limit headers', async () => {
    const headers = { origin: 'https://wallet.example', 'access-control-request-method': 'POST' };
    const preflight = await fixture.app.client.request('OPTIONS', disputePath, { headers });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    const intent = await fixture.add(eve, 'settled');
    const answer = await fixture.app.client.request('POST', disputePath, {
      headers: { origin: 'https://wallet.example', 'x-forwarded-for': '198.51.100.77' },
      body: disputeOf(intent, eve),
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, '*']);
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/X-RateLimit-Remaining/);
  });
});
