import { afterEach, describe, expect, it } from '@jest/globals';
import {
  account,
  day,
  hour,
  intentsFixture,
  minute,
  second,
} from '../../fixtures/intents/intents-over-http.js';
import { testCronSecret } from '../../support/app.js';
import { waitFor } from '../../support/wait-for.js';

const fixture = await intentsFixture();
// Intents left open by one test would be polled in the next, too.
afterEach(() => fixture.documents().deleteMany({}));

/** An intent that was followed from before the form until it was seen waiting for its payment. */
async function followed(anchorId = 'harbour', fields: Record<string, string> = {}) {
  const terms = fixture.terms({ anchorId });
  const { body } = await fixture.post(terms);
  const id = await fixture.begin(anchorId, fields);
  await fixture.post({ ...terms, anchorTransactionId: id });
  await fixture.pass(30 * second);
  await fixture.reconcile();
  return { intentHash: body.intentHash, id, anchor: fixture.anchors.anchor(anchorId) };
}

async function outcomeOf(intentHash: string): Promise<string> {
  const { status, outcome } = await fixture.read(intentHash);
  return outcome === null ? status : `${status} ${outcome.reason}`;
}

async function eventsOf(intentHash: string): Promise<string[]> {
  return (await fixture.events())
    .filter(({ data }) => data.intentHash === intentHash)
    .map(({ event }) => event);
}

describe('200', () => {
  it('accepts an empty body or none, and reports what it did', async () => {
    const { intentHash, id, anchor } = await followed();
    anchor.pay(id, { ending: 'complete' });
    await fixture.pass(minute);
    const first = await fixture.reconcile();
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ looked: 1, polled: 1, settled: 0, leftOpen: 1, more: false });
    await fixture.pass(10 * minute);
    const second = await fixture.reconcile();
    expect(second.body).toMatchObject({ looked: 1, settled: 1, failed: 0, leftOpen: 0, unreachable: 0 });
    const document = await fixture.documents().findOne({ _id: intentHash as never });
    expect(JSON.stringify(document)).not.toMatch(/SIMULATED BANK/);
    const third = await fixture.reconcile();
    expect(third.body).toMatchObject({ looked: 0, settled: 0 });
    expect(await outcomeOf(intentHash)).toBe('settled completed');
    expect(await eventsOf(intentHash)).toEqual(['intent.settled']);
    const headers = { authorization: `Bearer ${testCronSecret}` };
    const path = '/api/reputation/reconcile';
    expect((await fixture.app.client.request('POST', path, { headers, body: {} })).status).toBe(200);
  });

  it('measures the time from payment to completion, as exactly as it polls', async () => {
    const { intentHash, id, anchor } = await followed();
    anchor.setProfile({ settlement: { ...anchor.context.profile().settlement, settleSeconds: [200, 200] } });
    anchor.pay(id, { ending: 'complete' });
    await fixture.watch(15 * second, 20);
    const { outcome, quote } = await fixture.read(intentHash);
    // On a busy machine the anchor's quote may come too late for the registration, which then has none.
    const shortfall = quote?.tier === 'anchor' ? '0.000000000' : null;
    expect(outcome).toMatchObject({ scored: true, unscoredReason: null, shortfall, settleSeconds: 200 });
  });

  it.each([
    ['refund', 10, minute, 'failed refunded'],
    ['refund-old-error', 10, minute, 'failed refunded'],
    ['refund-old-completed', 10, minute, 'failed refunded'],
    ['recover', 12, 20 * minute, 'settled completed'],
    ['stuck', 2, 2 * day + 12 * hour, 'failed overdue'],
  ] as const)('records a withdrawal that ends as %s', async (ending, steps, stepMs, expected) => {
    const { intentHash, id, anchor } = await followed();
    anchor.pay(id, { ending });
    await fixture.watch(minute, 2);
    await fixture.watch(stepMs, steps);
    expect(await outcomeOf(intentHash)).toBe(expected);
    const [status, reason] = expected.split(' ');
    expect(await eventsOf(intentHash)).toEqual([`intent.${status}`]);
    const sent = (await fixture.events()).find(({ data }) => data.intentHash === intentHash);
    expect(sent?.data).toMatchObject(status === 'failed' ? { status, reason } : { status });
    const { outcome } = await fixture.read(intentHash);
    if (reason === 'refunded') expect(outcome).toMatchObject({ amountOut: null, paidOutAt: null });
  });

  it('fails an intent after a day in error, settles it when the anchor recovers, and sends one event for each', async () => {
    const { intentHash, id, anchor } = await followed();
    anchor.pay(id, { ending: 'fail' });
    await fixture.watch(minute, 10);
    expect(await outcomeOf(intentHash)).toBe('pending');
    await fixture.watch(day);
    expect(await outcomeOf(intentHash)).toBe('failed error');
    const failedAt = (await fixture.read(intentHash)).outcome?.recordedAt;
    anchor.amend(id, { status: 'completed', amount_out: '150000' });
    await fixture.watch(7 * hour);
    expect(await outcomeOf(intentHash)).toBe('settled recovered');
    expect((await fixture.read(intentHash)).outcome?.recordedAt).toBe(failedAt);
    expect(await eventsOf(intentHash)).toEqual(['intent.failed', 'intent.settled']);
    const [failed, settled] = (await fixture.events()).filter(({ data }) => data.intentHash === intentHash);
    expect([failed?.data.reason, settled?.data.reason]).toEqual(['error', undefined]);
    expect((await fixture.read(intentHash)).outcome).toMatchObject({ amountOut: '150000.00' });
    await fixture.watch(2 * day);
    expect(await eventsOf(intentHash)).toHaveLength(2);
  });

  it('settles cash at pick-up, and measures the time until it was ready', async () => {
    const { intentHash, id, anchor } = await followed('ferry', { funding_method: 'cash' });
    anchor.pay(id, { ending: 'complete' });
    await fixture.watch(minute, 12);
    const waiting = await fixture.read(intentHash);
    const transaction = { status: 'pending_user_transfer_complete' };
    expect(waiting).toMatchObject({ status: 'pending', transaction });
    await fixture.watch(3 * hour);
    const { outcome } = await fixture.read(intentHash);
    expect(outcome).toMatchObject({ reason: 'completed', shortfall: null });
    expect(outcome?.settleSeconds).toBeLessThanOrEqual(480);
  });

  it('expires an abandoned intent without an event', async () => {
    const bare = (await fixture.post(fixture.terms())).body.intentHash;
    const { intentHash } = await followed();
    await fixture.watch(2 * day + hour);
    expect(await outcomeOf(bare)).toBe('expired no_transaction');
    expect(await outcomeOf(intentHash)).toBe('expired abandoned');
    expect([...(await eventsOf(bare)), ...(await eventsOf(intentHash))]).toEqual([]);
  });

  it('polls an anchor that only speaks SEP-6', async () => {
    const terms = fixture.terms({ anchorId: 'lighter', corridor: 'usdc-kes' });
    const { body } = await fixture.post(terms);
    const { origin } = fixture.anchors.anchor('lighter');
    const query = 'source_asset=USDC&destination_asset=iso4217:KES&amount=100&funding_method=mobile_money';
    const headers = { authorization: `Bearer sim.${account}.x` };
    const response = await fetch(`${origin}/sep6/withdraw-exchange?${query}`, { headers });
    const { id } = (await response.json()) as { id: string };
    await fixture.post({ ...terms, anchorTransactionId: id });
    await fixture.pass(30 * second);
    await fixture.reconcile();
    fixture.anchors.anchor('lighter').pay(id, { ending: 'complete' });
    await fixture.watch(minute, 6);
    expect(await outcomeOf(body.intentHash)).toBe('settled completed');
  });

  it('does not score a transaction that was paid before it was first polled', async () => {
    const id = await fixture.begin('harbour');
    await fixture.pass(30 * second);
    fixture.anchors.anchor('harbour').pay(id, { ending: 'complete' });
    await fixture.pass(10 * minute);
    const { body } = await fixture.post(fixture.terms({ anchorTransactionId: id }));
    await fixture.settle();
    const { outcome } = await fixture.read(body.intentHash);
    const unscoredReason = 'started_before_intent';
    expect(outcome).toMatchObject({ status: 'settled', scored: false, unscoredReason });
  });

  it.each([
    ['429, in seconds', 429, () => '50'],
    ['503, as a date', 503, () => new Date(fixture.now() + 50 * second).toUTCString()],
  ])('asks an anchor nothing while it wants a pause: %s', async (_name, status, retryAfter) => {
    const { anchor } = await followed();
    await fixture.post(fixture.terms({ anchorTransactionId: 'waits-too' }));
    await fixture.pass(hour);
    const after = retryAfter();
    anchor.override('*', (_req, res) => void res.writeHead(status, { 'retry-after': after }).end());
    expect((await fixture.reconcile()).body).toMatchObject({ looked: 2, polled: 1, unreachable: 2 });
    anchor.override('*', null);
    await fixture.post(fixture.terms({ anchorTransactionId: 'comes-later' }));
    await fixture.pass(45 * second);
    expect((await fixture.reconcile()).body.polled).toBe(0);
    await fixture.pass(10 * second);
    await fixture.post(fixture.terms({ anchorTransactionId: 'comes-last' }));
    expect((await fixture.reconcile()).body.polled).toBeGreaterThan(0);
  });

  it('reports unreachable and unknown transactions, and polls both again', async () => {
    await fixture.watch(90 * day);
    const unknown = (await fixture.post(fixture.terms({ anchorTransactionId: 'never-heard-of' }))).body
      .intentHash;
    const { intentHash, anchor } = await followed('squall');
    anchor.setProfile({ faults: { error500: 1, html: 0, hang: 0 } });
    await fixture.pass(minute);
    const { body } = await fixture.reconcile();
    anchor.setProfile({ faults: { error500: 0, html: 0, hang: 0 } });
    expect(body).toMatchObject({ looked: 2, polled: 2, unreachable: 1, notFound: 1, leftOpen: 2 });
    expect([await outcomeOf(intentHash), await outcomeOf(unknown)]).toEqual(['pending', 'pending']);
    await fixture.pass(10 * minute);
    expect((await fixture.reconcile()).body).toMatchObject({ looked: 2, unreachable: 0, notFound: 1 });
  });

  it('gives up on a failing anchor after three polls per run and continues with the others', async () => {
    await fixture.watch(90 * day);
    const dead = await Promise.all(Array.from({ length: 8 }, () => followed('squall')));
    const { intentHash, id, anchor } = await followed('harbour');
    anchor.pay(id, { ending: 'complete' });
    fixture.anchors.anchor('squall').setProfile({ faults: { error500: 1, html: 0, hang: 0 } });
    await fixture.pass(10 * minute);
    const { body } = await fixture.reconcile();
    fixture.anchors.anchor('squall').setProfile({ faults: { error500: 0, html: 0, hang: 0 } });
    expect(body).toMatchObject({ looked: 9, polled: 4, unreachable: 8, settled: 1 });
    expect(await outcomeOf(intentHash)).toBe('settled completed');
    expect(dead).toHaveLength(8);
  });
});

it('409 RUN_IN_PROGRESS while another run is active, with its start time; the other run finishes', async () => {
  await fixture.watch(90 * day);
  await Promise.all(Array.from({ length: 6 }, () => followed('harbour')));
  await fixture.pass(minute);
  fixture.anchors.anchor('harbour').seen.length = 0;
  const begunAt = Date.now();
  const long = fixture.reconcile();
  // Its first poll has arrived, and five more follow a fifth of a second apart.
  await waitFor(() => expect(fixture.anchors.anchor('harbour').seen).not.toEqual([]), { interval: 5 });
  const { status, body } = await fixture.reconcile();
  expect([status, body]).toMatchObject([409, { code: 'RUN_IN_PROGRESS' }]);
  expect(Date.parse(String(body.startedAt))).toBeGreaterThan(begunAt - 1_000);
  expect(Date.parse(String(body.startedAt))).toBeLessThanOrEqual(Date.now());
  expect((await long).body).toMatchObject({ looked: 6, polled: 6 });
});
