import { afterEach, describe, expect, it } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { day, intentsFixture, minute } from '../../fixtures/intents/intents-over-http.js';
import { type OpenStream, openStream } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = await intentsFixture({ anchors: ['harbour'] });
const open: OpenStream<unknown>[] = [];
let clients = 0;

afterEach(async () => {
  for (const stream of open.splice(0)) stream.close();
  await fixture.documents().deleteMany({});
});

const newest = (stream: OpenStream<IntentAnswer>) => stream.events.at(-1)?.data;

describe('200', () => {
  it('sends the answer of GET, and the next one whenever the intent changes', async () => {
    const terms = fixture.terms();
    const { body } = await fixture.post(terms);
    const stream = await follow(body.intentHash);
    const data = await fixture.read(body.intentHash);
    expect(await stream.received(1)).toEqual([{ event: 'intent', data }]);
    expect(stream.text()).toMatch(/^retry: [2-5]\d{3}\n\n/);

    const id = await fixture.begin('harbour');
    await fixture.post({ ...terms, anchorTransactionId: id });
    await waitFor(() => expect(newest(stream)?.transaction?.id).toBe(id));
    await fixture.watch(minute, 1);
    fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
    await fixture.watch(minute, 10);
    await waitFor(() => expect(newest(stream)?.status).toBe('settled'));
    await stream.received(3);
    expect(newest(stream)).toEqual(await fixture.read(body.intentHash));
    const kinds = newest(stream)?.steps.map(({ kind }) => kind);
    const expected = ['registered', 'transaction_attached', 'funds_received', 'settled'];
    expect(kinds?.filter((kind) => kind !== 'transaction_status')).toEqual(expected);
  });

  it('sends whoever opens it again the present answer, also of an intent that is over', async () => {
    const { body } = await fixture.post(fixture.terms());
    (await follow(body.intentHash)).close();
    await fixture.watch(2 * day);
    const stream = await follow(body.intentHash);
    const [first] = await stream.received(1);
    expect(first?.data).toMatchObject({ status: 'expired' });
    expect(first?.data.steps.map(({ kind }) => kind)).toEqual(['registered', 'expired']);
  });

  it('ends when the intent is removed, and is 404 after that', async () => {
    const { body } = await fixture.post(fixture.terms());
    const stream = await follow(body.intentHash);
    await stream.received(1);
    await fixture.documents().deleteMany({});
    expect(await stream.ended).toBe(true);
    const again = await follow(body.intentHash);
    expect([again.status, again.body.code]).toEqual([404, 'UNKNOWN_INTENT']);
  });
});

async function follow(intentHash: string) {
  clients += 1;
  const stream = await openStream<IntentAnswer>(fixture.app.url, `/api/intent/${intentHash}/stream`, {
    headers: { 'x-forwarded-for': `192.0.2.${clients}` },
  });
  open.push(stream);
  return stream;
}
