import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { verifyBatch } from '../../../contract/verification/verify-batch.js';
import { publisherFixture, tickPath } from '../../fixtures/publisher/publisher-over-http.js';

const fixture = await publisherFixture();
const { oracle } = fixture;

describe('200', () => {
  it('succeeds without a body before there is anything to publish', async () => {
    const { status, body, headers } = await fixture.tick();
    expect(status).toBe(200);
    expect(body).toMatchObject({ batch: null, submitted: [], pending: 0, failure: null });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('publishes the signed scores and submits them', async () => {
    const batch = await fixture.publish();
    const keys = [{ keyId: batch.header.keyId, publicKey: batch.publicKey }];
    expect(verifyBatch({ ...batch, keys })).toMatchObject({ ok: true });
    expect(batch.receipt).toMatchObject({ oracle: oracle.publicKey, headerHash: batch.headerHash });
    expect(oracle.taken().at(-1)?.header).toEqual(batch.header);
  });

  it('makes no batch of unchanged scores, also with an empty object as body', async () => {
    const { status, body } = await fixture.tick({ body: {} });
    expect({ status, body }).toMatchObject({ status: 200, body: { result: 'unchanged', batch: null } });
  });

  it('reports that the oracle does not take the batch, and submits it the next time', async () => {
    oracle.behaveAlways(() => 'fail');
    const { header, receipt } = await fixture.publish();
    expect(receipt).toBeNull();
    oracle.behaveAlways(() => 'honest');
    const { status, body } = await fixture.tick();
    expect(status).toBe(200);
    expect(body).toMatchObject({ failure: null, pending: 0, submitted: [header.sequence] });
  });
});

describe('400', () => {
  it('for an unknown body member or query parameter', async () => {
    expect((await fixture.tick({ body: { force: true } })).status).toBe(400);
    const { status } = await fixture.app.client.request('POST', `${tickPath}?force=1`, {
      headers: { authorization: 'Bearer cron-secret-of-the-tests-0123456789' },
    });
    expect(status).toBe(400);
  });
});

describe('401', () => {
  it('without the cron secret, and publishes nothing', async () => {
    const before = oracle.taken().length;
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { 'x-admin-key': 'wrong' }]) {
      const answer = await fixture.app.client.request('POST', tickPath, { headers });
      expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect(oracle.taken()).toHaveLength(before);
  });
});

describe('409', () => {
  it('while another tick runs, with its start time', async () => {
    oracle.behave({ lateMs: 700 });
    const first = fixture.publish();
    while (!oracle.arrivals().some(([, behavior]) => typeof behavior === 'object')) await delay(10);
    const { status, body } = await fixture.tick();
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'RUN_IN_PROGRESS' } });
    const { startedAt = '' } = body as { startedAt?: string };
    const { createdAt } = (await first).header;
    expect(Math.abs(Date.parse(startedAt) - Date.parse(createdAt))).toBeLessThan(2_000);
  });
});
