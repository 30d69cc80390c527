import { describe, expect, it } from '@jest/globals';
import type { AdminDispute, DisputeAnswer } from '../../../contract/schemas/disputes.js';
import type { IntentAnswer } from '../../../contract/schemas/intents.js';
import { fromHex } from '../../../contract/verification/bytes.js';
import { disputeOf, harbour, type Signer } from '../../fixtures/disputes/dispute-values.js';
import { disputePath, reviewPath } from '../../fixtures/disputes/disputes-over-http.js';
import { account, day, intentsFixture, minute, second } from '../../fixtures/intents/intents-over-http.js';
import { testAdminKey } from '../../support/app.js';
import { openStream } from '../../support/event-stream.js';
import { waitFor } from '../../support/wait-for.js';
import sep53 from '../../vectors/sep53.json' with { type: 'json' };

const fixture = await intentsFixture({ anchors: ['harbour'] });
/** The account of the intents fixture is that of the SEP-53 vectors. */
const wallet: Signer = { secretKey: fromHex(sep53.seed), account };

let clients = 0;

/** An intent whose withdrawal was paid to the anchor and came to that ending. */
async function ended(ending: 'complete' | 'fail') {
  const terms = fixture.terms();
  const { intentHash } = (await fixture.post(terms)).body;
  const id = await fixture.begin('harbour');
  await fixture.post({ ...terms, anchorTransactionId: id });
  await fixture.pass(30 * second);
  await fixture.settle();
  fixture.anchors.anchor('harbour').pay(id, { ending });
  for (let looks = 0; looks < 14; looks += 1) {
    await fixture.pass(minute);
    await fixture.settle();
  }
  if (ending === 'fail') {
    // An error decides the intent once it has stood for a day.
    await fixture.pass(day);
    await fixture.settle();
  }
  return { intentHash, id };
}

async function file(intentHash: string, signer: Signer) {
  const { body, status } = await fixture.app.client.request<DisputeAnswer & { code?: string }>(
    'POST',
    disputePath,
    { headers: client(), body: disputeOf({ _id: intentHash, anchorId: 'harbour' }, signer) },
  );
  return { ...body, httpStatus: status };
}

async function accept(id: string, evidence?: string): Promise<AdminDispute> {
  const { body } = await fixture.app.client.request<AdminDispute>('POST', reviewPath, {
    headers: { 'x-admin-key': testAdminKey, ...client() },
    body: { id, action: 'accept', evidence },
  });
  return body;
}

const effectOn = async (intentHash: string) =>
  (await fixture.documents().findOne({ _id: intentHash as never }))?.disputeEffect;

describe('a dispute from the wallet to the verdict', () => {
  it('is shown by the stream of its intent, and by the intent, which counts as not filled once it is accepted', async () => {
    const { intentHash } = await ended('complete');
    expect((await fixture.read(intentHash)).status).toBe('settled');
    const path = `/api/intent/${intentHash}/stream`;
    const stream = await openStream<IntentAnswer>(fixture.app.url, path, { headers: client() });
    const shown = () => stream.events.at(-1)?.data.dispute?.status ?? null;
    await stream.received(1);
    expect(shown()).toBe(null);
    const { id, httpStatus } = await file(intentHash, wallet);
    expect(httpStatus).toBe(201);
    await waitFor(() => expect(shown()).toBe('open'));
    await accept(id);
    await waitFor(() => expect(shown()).toBe('accepted'));
    stream.close();
    const { status, dispute } = await fixture.read(intentHash);
    expect([status, dispute?.status, dispute?.disputeId]).toEqual(['settled', 'accepted', id]);
    expect(await effectOn(intentHash)).toBe('counts_not_filled');
  });

  it('lets a wallet be heard whose paid transaction the anchor denies with 404 until it expires', async () => {
    const terms = fixture.terms({ anchorTransactionId: 'denied-by-its-anchor' });
    const { intentHash } = (await fixture.post(terms)).body;
    await fixture.settle();
    expect((await fixture.read(intentHash)).transaction?.problem).toBe('unknown_to_anchor');
    for (let days = 0; days < 5; days += 1) {
      await fixture.pass(day);
      await fixture.settle();
    }
    expect((await fixture.read(intentHash)).outcome?.reason).toBe('never_funded');
    const { id, httpStatus } = await file(intentHash, wallet);
    expect(httpStatus).toBe(201);
    expect((await accept(id, 'Payment found on the ledger.')).support).toBe('unsupported');
    expect(await effectOn(intentHash)).toBe('counts_not_filled');
  });

  it("counts a failed intent as filled when the dispute signed by the anchor's key is accepted", async () => {
    const { intentHash } = await ended('fail');
    expect((await fixture.read(intentHash)).outcome?.reason).toBe('error');
    expect((await file(intentHash, wallet)).code).toBe('SIGNER_NOT_ENTITLED');
    const { id, filedBy } = await file(intentHash, harbour);
    expect(filedBy).toBe('anchor');
    await accept(id);
    expect(await effectOn(intentHash)).toBe('counts_filled');
  });

  it('lets the account dispute a recovered failure for 30 days, once the dispute of the anchor is decided', async () => {
    const { intentHash, id: transactionId } = await ended('fail');
    await fixture.pass(20 * day);
    await fixture.settle();
    const { id } = await file(intentHash, harbour);
    const paidOut = { status: 'completed', amount_out: '150000' };
    fixture.anchors.anchor('harbour').amend(transactionId, paidOut);
    await fixture.pass(day);
    await fixture.settle();
    expect((await fixture.read(intentHash)).outcome?.reason).toBe('recovered');
    expect((await file(intentHash, harbour)).code).toBe('SIGNER_NOT_ENTITLED');
    expect((await file(intentHash, wallet)).code).toBe('DISPUTE_EXISTS');
    expect((await accept(id)).status).toBe('accepted');
    expect(await effectOn(intentHash)).toBe(null);
    await fixture.pass(29 * day);
    const second = await file(intentHash, wallet);
    expect(second.httpStatus).toBe(201);
    await accept(second.id);
    expect(await effectOn(intentHash)).toBe('counts_not_filled');
    expect((await fixture.read(intentHash)).dispute?.disputeId).toBe(second.id);
  });
});

function client() {
  clients += 1;
  return { 'x-forwarded-for': `198.18.9.${clients}` };
}
