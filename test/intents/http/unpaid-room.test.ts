import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { clientHash } from '../../../server/http/client-hash.js';
import { day, hour, intentsFixture } from '../../fixtures/intents/intents-over-http.js';
import { insertIntents, unpaidIntent } from '../../fixtures/intents/stored-intents.js';

const max = 200;
const fixture = intentsFixture({ anchors: ['harbour'], env: { MAX_UNPAID_INTENTS: String(max) } });

type Answer = IntentAnswer & { code?: string; retryAfter?: number };

function register(address: string, body = fixture.terms()) {
  const headers = { 'x-forwarded-for': address };
  return fixture.app.client.request<Answer>('POST', '/api/intent/offramp', { headers, body });
}

/** Sends some of a client's registrations per minute, all at once. */
function registerAtLimit(address: string) {
  return Promise.all(Array.from({ length: 15 }, () => register(address)));
}

const storedOf = (address: string) => fixture.documents().countDocuments({ client: clientHash(address) });

beforeEach(async () => {
  await fixture.documents().deleteMany({});
  // Counts from the test before have expired by then.
  await fixture.pass(10_000);
});

describe('503', () => {
  it('for the share of one client that registers for hours, and not for any other client', async () => {
    const hog = '198.51.100.1';
    const before = Array.from({ length: max / 2 - 5 }, (_, index) => ({
      ...unpaidIntent(index, { client: clientHash(hog), deadline: new Date(fixture.now() + day) }),
    }));
    await insertIntents(fixture.app.connection, ...before);
    const first = fixture.terms();
    expect((await register(hog, first)).status).toBe(201);
    const answers = await registerAtLimit(hog);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.body).toEqual({ code: 'NOT_READY', message: expect.any(String), retryAfter: 600 });
    expect(refused?.headers.get('retry-after')).toBe('600');
    // Simultaneous requests do not see each other's intents, but they do see the places taken.
    expect(await storedOf(hog)).toBeLessThan(max / 2 + 10);
    for (const address of ['198.51.100.2', '2001:db8::1', '198.51.100.3']) {
      expect((await register(address)).status).toBe(201);
    }
    // No acknowledged intent is pushed out; sent again, it is answered even to the client that is refused.
    expect((await register(hog, first)).status).toBe(200);
    const accepted = answers.filter(({ status }) => status === 201).length;
    expect(await storedOf(hog)).toBe(before.length + 1 + accepted);
  });
});

it('gives the places back: unpaid intents leave after their look-back, and clients register again', async () => {
  const hog = '198.51.100.200';
  const [accepted] = await registerAtLimit(hog);
  const intentHash = accepted?.body.intentHash ?? '';
  const attached = await register('198.51.100.201', fixture.terms({ anchorTransactionId: 'invented' }));
  await fixture.pass(25 * hour);
  await fixture.settle();
  expect((await fixture.read(intentHash)).status).toBe('expired');
  await aggregated();
  await fixture.pass(2 * day);
  expect((await fixture.reconcile()).body.removed).toBe(0);
  expect(await storedOf(hog)).toBe(15);
  await fixture.pass(day + 1);
  expect((await fixture.reconcile()).body.removed).toBe(15);
  expect(await fixture.read(intentHash)).toMatchObject({ code: 'UNKNOWN_INTENT' });
  await fixture.settle();
  await aggregated();
  expect((await fixture.read(attached.body.intentHash)).outcome?.reason).toBe('never_funded');
  await fixture.pass(32 * day);
  expect((await fixture.reconcile()).body.removed).toBe(1);
  expect(await fixture.documents().countDocuments({})).toBe(0);
});

/** Marks expired intents as seen by the aggregation, which counts nothing of them. */
async function aggregated() {
  await fixture.documents().updateMany({ unfolded: true }, { $set: { unfolded: false } });
}
