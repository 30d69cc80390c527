import { describe, expect, it } from '@jest/globals';
import type { SnapshotAnswer } from '../../../contract/schemas/snapshot.js';
import { testApp } from '../../support/app.js';

const app = await testApp();

describe('200', () => {
  it('has the best offer of every corridor at its reference amount, from the first request on', async () => {
    const { status, body, headers } = await app.client.request<SnapshotAnswer>('GET', '/api/snapshot');
    expect(status).toBe(200);
    expect(body.corridors.map(({ corridor }) => corridor)).toEqual(
      [...app.simulated.fleet.corridors.map(({ id }) => id)].sort(),
    );
    expect(body.corridors.every(({ best, amount }) => best?.simulated === true && amount === '100')).toBe(
      true,
    );
    expect(headers.get('cache-control')).toMatch(/^private, max-age=\d+$/);
  });
});

describe('400', () => {
  it('for a query it does not know', async () => {
    const { status, body } = await app.client.request('GET', '/api/snapshot?corridor=usdc-ngn');
    expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ path: 'query.corridor' }] } });
  });
});
