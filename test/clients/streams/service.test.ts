import { describe, expect, it } from '@jest/globals';
import { createClient as createLight } from '../../../contract/client/index.js';
import {
  createClient,
  FairleadError,
  type IntentTransition,
  intentHash,
  type StreamState,
} from '../../../contract/index.js';
import { intentsFixture, minute } from '../../fixtures/intents/intents-over-http.js';

const fixture = intentsFixture({ anchors: ['harbour'] });
const clients = { '@fairlead/contract': createClient, '@fairlead/contract/client': createLight };

type Terms = Parameters<typeof intentHash>[0];

/** An intent whose withdrawal was paid out; the next poll records the payout. */
async function paidIntent(): Promise<string> {
  const terms = fixture.terms();
  const hash = intentHash(terms as unknown as Terms);
  await fixture.post(terms);
  const id = await fixture.begin('harbour');
  await fixture.post({ ...terms, anchorTransactionId: id });
  await fixture.settle();
  fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
  return hash;
}

describe.each(Object.entries(clients))('%s, with the service', (_entry, create) => {
  const client = () => create(fixture.app.url, { wait: async () => undefined });

  it('is told the offers that a call is told', async () => {
    const args = { params: { corridor: 'usdc-ngn' }, query: { amount: '75', sort: 'receive' as const } };
    const states: StreamState[] = [];
    for await (const event of client().rates.stream(args, { onState: (state) => states.push(state) })) {
      const { body } = await client().rates.getRates(args);
      expect(event).toEqual({ event: 'rates', id: expect.any(String), data: body });
      break;
    }
    expect(states).toEqual([{ state: 'connecting' }, { state: 'live' }]);
  });

  it('follows an intent to its last transition, over whichever connections', async () => {
    const hash = await paidIntent();
    const params = { intentHash: hash };
    const transitions: IntentTransition[] = [];
    const first = client().intents.stream({ params });
    for await (const { data } of first) {
      transitions.push(data);
      if (data.kind === 'transaction_attached') break;
    }
    const lastEventId = String(transitions.at(-1)?.number);
    const second = client().intents.stream({ params }, { lastEventId });
    await fixture.pass(30 * minute);
    await fixture.settle();
    for await (const { data } of second) transitions.push(data);

    expect(transitions.map(({ number }) => number)).toEqual(transitions.map((_, index) => index + 1));
    expect(transitions[0]).toMatchObject({ kind: 'registered', status: 'pending' });
    expect(transitions.at(-1)).toMatchObject({ kind: 'settled', status: 'settled', last: true });
    const again = client().intents.stream({ params }, { lastEventId: String(transitions.length) });
    expect(await again.next()).toEqual({ done: true, value: undefined });
    const unnumbered = client().intents.stream({ params }, { lastEventId: 'the last one' });
    await expect(unnumbered.next()).rejects.toMatchObject({ code: 'INVALID_REQUEST', status: 400 });
  });

  it.each([
    ['an intent that nobody registered', 'ab'.repeat(32), 'UNKNOWN_INTENT'],
    ['a hash that is none', 'ab', 'INVALID_REQUEST'],
  ])('is refused %s', async (_case, hash, code) => {
    const stream = client().intents.stream({ params: { intentHash: hash } });
    const failure = await stream.next().catch((error: unknown) => error);
    expect((failure as FairleadError).name).toBe(FairleadError.name);
    expect(failure).toMatchObject({ code });
  });
});
