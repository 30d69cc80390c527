import { describe, expect, it } from '@jest/globals';
import type { ErrorDetail } from '../../../contract/errors.js';
import { edgeFixture, json } from '../../fixtures/edge/raw-requests.js';

const { send } = edgeFixture();

interface Refusal {
  code: string;
  message: string;
  details: ErrorDetail[];
}

async function details(method: 'GET' | 'POST', path: string, body?: object): Promise<ErrorDetail[]> {
  const options = body === undefined ? {} : { headers: json, body: JSON.stringify(body) };
  const answer = await send(method, path, options);
  expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  const refusal = answer.body as Refusal;
  const [first] = refusal.details;
  expect(refusal.message).toBe(`${first?.path}: ${first?.message}`);
  return refusal.details;
}

describe('a validation error', () => {
  it.each<[string, ErrorDetail]>([
    ['/api/rates/usdc-ngn?amount=1&amount=2', { path: 'query.amount', message: 'is given more than once' }],
    [`/api/anchors/${'a'.repeat(41)}`, { path: 'path.anchor', message: 'must have at most 40 characters' }],
    ['/api/reputation/leaderboard?window=8', { path: 'query.window', message: 'must be one of 7, 30, 90' }],
    ['/api/rates/%zz', { path: 'path', message: 'must be validly percent-encoded UTF-8' }],
  ])('of %s is reported in plain words', async (path, fault) => {
    expect(await details('GET', path)).toEqual([fault]);
  });

  it('of a body is reported with its path, once per path', async () => {
    const found = await details('POST', '/api/intent/offramp', {
      corridor: 7,
      account: 'GABC',
      sellAmount: '',
      expiresAt: '2026-11-21',
      nonce: ['a'],
    });
    expect(found).toContainEqual({ path: 'body.anchorId', message: 'is required' });
    expect(found).toContainEqual({ path: 'body.corridor', message: 'must be a string' });
    expect(found).toContainEqual({ path: 'body.nonce', message: 'must be a string' });
    expect(found).toContainEqual({
      path: 'body.expiresAt',
      message: 'must be an ISO 8601 instant such as 2026-11-21T09:30:00Z',
    });
    expect(new Set(found.map(({ path }) => path)).size).toBe(found.length);
  });
});
