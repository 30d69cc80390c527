import { afterEach, describe, expect, it } from '@jest/globals';
import type { IntentTransition } from '../../../contract/schemas/intents.js';
import { day, hour, intentsFixture, minute } from '../../fixtures/intents/intents-over-http.js';
import { type OpenStream, openStream } from '../../support/event-stream.js';

const fixture = intentsFixture({ anchors: ['harbour', 'squall'] });
const rival = 'GDNDEI3B7PZCHUBXEFDE6G2F2J2DWEXFLDTBCYCGH7O2ECA36A4QTAIO';
const open: OpenStream<unknown>[] = [];
let clients = 0;

afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await fixture.documents().deleteMany({});
});

async function follow(intentHash: string, lastEventId?: number | string) {
  clients += 1;
  const headers = {
    'x-forwarded-for': `192.0.2.${clients}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
  };
  const path = `/api/intent/${intentHash}/stream`;
  const stream = await openStream<IntentTransition>(fixture.app.url, path, { headers });
  open.push(stream);
  return stream;
}

/** An intent whose transaction is attached. */
async function attached(patch: Record<string, unknown> = {}) {
  const id = await fixture.begin('harbour');
  const { body } = await fixture.post(fixture.terms({ anchorTransactionId: id, ...patch }));
  return { id, intentHash: body.intentHash };
}

async function passMinutes(minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes; passed += 1) {
    await fixture.pass(minute);
    await fixture.settle();
  }
}

const kindsOf = (stream: OpenStream<IntentTransition>) => stream.events.map(({ data }) => data.kind);

describe('200', () => {
  it('tells every transition from the registration to the payout in order, and ends', async () => {
    const { id, intentHash } = await attached();
    const stream = await follow(intentHash);
    await stream.received(2);
    await passMinutes(1);
    fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
    await passMinutes(10);
    expect(await stream.ended).toBe(true);
    await stream.received(1);
    expect(kindsOf(stream).filter((kind) => kind !== 'transaction_status')).toEqual([
      'registered',
      'transaction_attached',
      'funds_received',
      'settled',
    ]);
    expect(stream.events.map(({ event, id: number }) => [event, Number(number)])).toEqual(
      stream.events.map((_, place) => ['transition', place + 1]),
    );
    expect(stream.events.map(({ data }) => data.last)).toEqual(
      stream.events.map((_, place) => place === stream.events.length - 1),
    );
    const last = stream.events.at(-1)?.data;
    expect(last).toMatchObject({ status: 'settled', transactionStatus: 'completed' });
    expect({ ...last?.intent, outcome: null }).toEqual({
      ...(await fixture.read(intentHash)),
      outcome: null,
    });
  });

  it('goes on after Last-Event-ID, with the same transitions under the same numbers', async () => {
    const { id, intentHash } = await attached();
    const whole = await follow(intentHash);
    await passMinutes(1);
    fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
    await passMinutes(10);
    await whole.ended;
    const told = ({ data: { intent: _, ...rest } }: { data: IntentTransition }) => rest;
    for (let seen = 0; seen < whole.events.length; seen += 1) {
      const rest = await follow(intentHash, seen);
      expect(await rest.ended).toBe(true);
      expect(rest.events.map(told)).toEqual(whole.events.slice(seen).map(told));
    }
  });

  it('stays open after a failure, for as long as the anchor may still pay out', async () => {
    const { id, intentHash } = await attached();
    await passMinutes(1);
    fixture.anchors.anchor('harbour').pay(id, { ending: 'fail' });
    await passMinutes(10);
    await fixture.pass(25 * hour);
    await fixture.settle();
    const stream = await follow(intentHash);
    await stream.received(4);
    expect(kindsOf(stream).at(-1)).toBe('failed');
    expect(stream.events.at(-1)?.data).toMatchObject({ status: 'failed', last: false });
    await fixture.pass(31 * day);
    await fixture.settle();
    expect(await stream.ended).toBe(true);
    expect((await follow(intentHash, stream.events.length)).status).toBe(204);
  });

  it('ends when the intent expires without a transaction', async () => {
    const { body } = await fixture.post(fixture.terms());
    const stream = await follow(body.intentHash);
    await stream.received(1);
    await fixture.pass(2 * day);
    await fixture.settle();
    expect(await stream.ended).toBe(true);
    expect(kindsOf(stream)).toEqual(['registered', 'expired']);
  });

  it('ends without a ledger when a claim expires whose payment the wallet named', async () => {
    const { id } = await attached();
    const terms = fixture.terms({ account: rival });
    const { intentHash } = (await fixture.post(terms)).body;
    const named = await fixture.app.client.request('POST', `/api/intent/${intentHash}/transaction`, {
      body: { nonce: terms.nonce, anchorTransactionId: id, paymentHash: 'a'.repeat(64) },
    });
    expect(named.status).toBe(409);
    const stream = await follow(intentHash);
    await stream.received(1);
    await fixture.pass(3 * day);
    await fixture.settle();
    expect(await stream.ended).toBe(true);
    expect(stream.events.at(-1)?.data).toMatchObject({ kind: 'expired', last: true });
    expect((await follow(intentHash, stream.events.length)).status).toBe(204);
  });

  it('ends when the intent is removed, and is 404 after that', async () => {
    const { body } = await fixture.post(fixture.terms());
    const stream = await follow(body.intentHash);
    await stream.received(1);
    await fixture.documents().deleteMany({});
    expect(await stream.ended).toBe(true);
    const again = await follow(body.intentHash, 1);
    expect([again.status, again.body.code]).toEqual([404, 'UNKNOWN_INTENT']);
  });
});

describe('204', () => {
  it('for a reader that has seen all that can come', async () => {
    const { body } = await fixture.post(fixture.terms());
    await fixture.pass(2 * day);
    await fixture.settle();
    expect((await follow(body.intentHash, 2)).status).toBe(204);
    expect((await follow(body.intentHash, 1)).status).toBe(200);
  });
});

describe('400', () => {
  it.each(['one', '-1', '1.5', '1000', '12345678'])(
    'for Last-Event-ID %s, which no transition can have',
    async (id) => {
      const { body } = await fixture.post(fixture.terms());
      const stream = await follow(body.intentHash, id);
      expect([stream.status, stream.body.details]).toMatchObject([400, [{ path: 'header.last-event-id' }]]);
    },
  );
});

describe('503', () => {
  it('for a number ahead of what the database has confirmed, since a new primary may have it in a moment', async () => {
    const { body } = await fixture.post(fixture.terms());
    const stream = await follow(body.intentHash, 2);
    expect([stream.status, stream.body.code]).toEqual([503, 'NOT_READY']);
    expect(stream.headers['retry-after']).toBe('2');
  });
});
