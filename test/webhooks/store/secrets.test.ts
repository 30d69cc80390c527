import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { verifyWebhook, WebhookVerificationError } from '../../../contract/verification/verify-webhook.js';
import { createLogger } from '../../../server/logger.js';
import { closedAfterEach } from '../../fixtures/webhooks/closing.js';
import {
  type DeliveryFixtureOptions,
  secret as old,
  secret,
  until,
} from '../../fixtures/webhooks/delivery-fixture.js';
import type { Received, Receiver, Respond } from '../../fixtures/webhooks/receiver.js';
import { waitFor } from '../../support/wait-for.js';

const { openTowards, open: openFixture, receiver } = closedAfterEach();
const next = 'another secret of the webhook tests';
const last = 'the third secret of the webhook tests';

function verifies({ body, headers }: Received, secret: string): boolean {
  try {
    verifyWebhook({ body, headers, secret });
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

/** A receiver as docs/webhooks.md describes it: it answers 401 to a delivery that does not verify, else `status`. */
const knows =
  (secrets: readonly string[], status = 204): Respond =>
  (response, delivery) =>
    response.writeHead(secrets.some((secret) => verifies(delivery, secret)) ? status : 401).end();

/** Delivers one event to such a receiver, during the rotations from the first secret to these. */
async function deliverTo(respond: Respond, rotations: readonly string[] = [next]) {
  const { to, fixture } = await openTowards(respond);
  const { id } = await fixture.register(to.origin);
  for (const secret of rotations) await fixture.webhooks.rotateSecret(id, { secret });
  await fixture.emitTicks(1);
  await fixture.deliverAllDue();
  return {
    to,
    fixture,
    id,
    delivery: async () => {
      const [only] = await fixture.deliveriesOf(id);
      return {
        state: only?.state,
        attempts: only?.attempts.map(({ attempt, outcome, status, signedWith }) => ({
          attempt,
          outcome,
          status,
          signedWith,
        })),
      };
    },
  };
}

const refusedFormer = { attempt: 1, outcome: 'refused', status: 401, signedWith: 'former' };
const refusedPresent = { ...refusedFormer, signedWith: 'present' };
const acceptedPresent = { attempt: 1, outcome: 'acknowledged', status: 204, signedWith: 'present' };

describe('during a rotation, a receiver', () => {
  it('that knows only the old secret gets one POST, signed with it', async () => {
    const { to, fixture, id, delivery } = await deliverTo(knows([old]));
    expect(await delivery()).toEqual({
      state: 'delivered',
      attempts: [{ ...acceptedPresent, signedWith: 'former' }],
    });
    expect(to.received).toHaveLength(1);
    expect(await fixture.webhooks.get(id)).toMatchObject({ enabled: true });
  });

  it('that knows only the new secret gets a second POST at once, signed with it, and stays enabled', async () => {
    const { to, fixture, id, delivery } = await deliverTo(knows([next]));
    expect(await delivery()).toEqual({ state: 'delivered', attempts: [refusedFormer, acceptedPresent] });
    const [first, second] = to.received;
    expect(to.received).toHaveLength(2);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    for (const { headers } of to.received) expect(headers['x-fairlead-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(to.faults).toEqual([]);
    expect(await fixture.webhooks.get(id)).toMatchObject({ enabled: true, disabled: null });
    // The attempts are counted after they are stored.
    await waitFor(() => expect(fixture.counted).toEqual(new Map([['delivered', 1]])));
  });

  it('that knows none of the secrets refuses both, and only then is disabled', async () => {
    const { to, fixture, id, delivery } = await deliverTo(knows([]));
    expect(await delivery()).toEqual({ state: 'refused', attempts: [refusedFormer, refusedPresent] });
    expect(to.received).toHaveLength(2);
    expect(await fixture.webhooks.get(id)).toMatchObject({
      enabled: false,
      disabled: { reason: 'refused', status: 401 },
    });
    await waitFor(() => expect(fixture.counted.get('refused')).toBe(1));
  });

  it('that knows the new secret and fails is retried later; two POSTs count as one of the four attempts', async () => {
    const { fixture, id, delivery } = await deliverTo(knows([next], 503));
    for (const seconds of [10, 60, 360]) {
      await fixture.age(seconds * 1_000);
      await fixture.deliverAllDue();
    }
    const failed = { outcome: 'failed', status: 503, signedWith: 'present' };
    expect(await delivery()).toEqual({
      state: 'exhausted',
      attempts: [1, 2, 3, 4].flatMap((attempt) => [
        { ...refusedFormer, attempt },
        { ...failed, attempt },
      ]),
    });
    expect(await fixture.webhooks.get(id)).toMatchObject({ enabled: true });
  });

  it.each([
    ['oldest', old, 'delivered', ['former']],
    ['newest', last, 'delivered', ['former', 'present']],
    ['middle', next, 'refused', ['former', 'present']],
  ])(
    'that knows only the %s of three secrets of rotations within the overlap',
    async (_which, known, ended, signedWith) => {
      const { delivery } = await deliverTo(knows([known]), [next, last]);
      const { state, attempts } = await delivery();
      expect(state).toBe(ended);
      expect(attempts?.map((attempt) => attempt.signedWith)).toEqual(signedWith);
    },
  );
});

const webhookKey = 'a1'.repeat(32);

const open = (to: Receiver, options: Partial<DeliveryFixtureOptions> = {}) =>
  openFixture({ allow: [to.origin], ...options });

/** The real logger at its most verbose level, writing to memory. */
function capturedLog() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { logger: createLogger({ level: 'debug', destination }), lines };
}

describe('a secret that cannot be opened', () => {
  it('makes deliveries wait without counting attempts, and is logged once, until the key or a new secret is there', async () => {
    const to = await receiver();
    const owner = await open(to, { webhookKey });
    await owner.clear();
    const { id } = await owner.register(to.origin);
    await owner.emitTicks(1);

    for (const wrong of [{ webhookKey: 'b2'.repeat(32) }, {}]) {
      const { logger, lines } = capturedLog();
      const stranger = await open(to, { ...wrong, logger });
      const errors = () => lines.filter((line) => line.includes('"level":"error"'));
      await stranger.deliveries.work();
      await until(() => errors().length > 0);
      for (let look = 0; look < 3; look += 1) await stranger.deliveries.work();
      await stranger.stop();
      expect(errors()).toHaveLength(1);
      expect(lines.join('')).toContain('WEBHOOK_KEY is not the key');
    }
    expect(to.received).toEqual([]);
    expect(await owner.deliveriesOf(id)).toMatchObject([{ state: 'pending', attempts: [] }]);

    await owner.deliverAllDue();
    const { body, headers } = to.received[0] ?? { body: '', headers: {} };
    verifyWebhook({ body, headers, secret });

    // A new secret under another key signs alone: the old one is stored beside it for the overlap, and signs nothing.
    const renewed = 'a new secret under the new key';
    const after = await open(to, { webhookKey: 'b2'.repeat(32) });
    await after.webhooks.rotateSecret(id, { secret: renewed });
    await after.emitTicks(2);
    await after.deliverAllDue();
    const [, { body: text, headers: signed } = { body: '', headers: {} as Record<string, string> }] =
      to.received;
    verifyWebhook({ body: text, headers: signed, secret: renewed });
    expect(String(signed['webhook-signature']).split(' ')).toHaveLength(1);
  });
});
