import { describe, expect, it } from '@jest/globals';
import { createLeases } from '../../../server/mongo/leases.js';
import { refreshPath, reputationHttpFixture } from '../../fixtures/reputation/reputation-over-http.js';
import { silentLogger } from '../../support/silent-logger.js';

const fixture = reputationHttpFixture();

describe('200', () => {
  it('accepts an empty body or none, and reports what it did', async () => {
    await fixture.record('harbour', 'usdc-ngn', 40);
    const first = await fixture.refresh();
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ days: 7, more: false, scored: 3 });
    expect(first.body.anchors).toBe(fixture.app.simulated.fleet.anchors.length);
    expect(Date.parse(first.body.computedAt)).toBeGreaterThanOrEqual(Date.parse(first.body.startedAt));
    expect((await fixture.refresh({ body: {} })).body).toMatchObject({ days: 0, scored: 3 });
    expect(first.headers.get('cache-control')).toBe('no-store');
  });
});

describe('400', () => {
  it('for a body with any member', async () => {
    const { status, body } = await fixture.refresh({ body: { rebuild: true } });
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });
});

describe('401 UNAUTHORIZED', () => {
  it.each([undefined, 'Bearer wrong', 'Basic abc'])('with %s', async (authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await fixture.app.client.request('POST', refreshPath, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('409 RUN_IN_PROGRESS', () => {
  it('while another instance runs a refresh, with its start time', async () => {
    const { connection } = fixture.app;
    const elsewhere = createLeases({ connection, owner: 'elsewhere', logger: silentLogger });
    await elsewhere.run('reputation-refresh', 10_000, async () => {
      const { status, body } = await fixture.refresh();
      expect({ status, body }).toMatchObject({ status: 409, body: { code: 'RUN_IN_PROGRESS' } });
      const { startedAt } = body as unknown as { startedAt: string };
      expect(Math.abs(Date.now() - Date.parse(startedAt))).toBeLessThan(10_000);
    });
    expect((await fixture.refresh()).status).toBe(200);
  });
});
