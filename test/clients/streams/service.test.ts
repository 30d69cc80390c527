import { describe, expect, it } from '@jest/globals';
import { createClient as createLight } from '../../../contract/client/index.js';
import {
  createClient,
  FairleadError,
  type IntentAnswer,
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
      expect(event).toEqual({ event: 'rates', data: body });
      break;
    }
    expect(states).toEqual([{ state: 'connecting' }, { state: 'live' }]);
  });

  it('follows an intent until its status says that it is over, over whichever connections', async () => {
    const params = { intentHash: await paidIntent() };
    for await (const { data } of client().intents.stream({ params })) {
      expect(data.status).toBe('pending');
      break;
    }
    await fixture.pass(30 * minute);
    await fixture.settle();
    let last: IntentAnswer | undefined;
    for await (const { data } of client().intents.stream({ params })) {
      last = data;
      if (data.status !== 'pending') break;
    }
    expect(last?.status).toBe('settled');
    expect(last?.steps.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['registered', 'transaction_attached', 'funds_received', 'settled']),
    );
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
