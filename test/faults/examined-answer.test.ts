import { describe, expect, it } from '@jest/globals';
import { ratesExamples } from '../../contract/examples/rates.js';
import { faultOfAnswer } from '../../scripts/faults/traffic/examined-answer.rules.js';
import { operationOf } from '../../scripts/faults/traffic/operations.js';

const { route } = operationOf('GET', '/api/publisher/batches/7');

function faultOf(status: number, body: unknown, headers: Record<string, string> = {}): string | undefined {
  const all: Record<string, string> = { 'x-request-id': 'r-1', ...headers };
  return faultOfAnswer(route, { status, header: (name) => all[name] ?? null, body, sentAtMs: ratesAt });
}

const rates = ratesExamples.getRates.answer;
const ratesAt = Date.parse('2026-07-01T12:00:00Z');

describe('the operation of a request', () => {
  it('is told by method and path, a fixed path before a template', () => {
    expect(route.operationId).toBe('getBatch');
    expect(operationOf('GET', '/api/reputation/leaderboard').route.operationId).toBe('getLeaderboard');
    expect(operationOf('POST', '/api/intent/abc/transaction')).toMatchObject({
      kind: 'attach',
      params: { intentHash: 'abc' },
    });
    expect(() => operationOf('GET', '/api/nothing')).toThrow('no operation');
  });
});

describe('an answer', () => {
  it('of the contract has no fault', () => {
    const body = { code: 'NOT_READY', message: 'Wait.', retryAfter: 2 };
    expect(faultOf(503, body, { 'retry-after': '2' })).toBeUndefined();
    expect(faultOf(404, { code: 'UNKNOWN_BATCH', message: 'None.' })).toBeUndefined();
  });

  it('without retryAfter where it is documented has a fault, as one whose header says something else', () => {
    const body = { code: 'NOT_READY', message: 'Wait.' };
    expect(faultOf(503, body, { 'retry-after': '2' })).toContain('retryAfter');
    expect(faultOf(503, { ...body, retryAfter: 3 }, { 'retry-after': '2' })).toBe(
      'retryAfter is 3, and Retry-After is 2.',
    );
  });

  it.each([
    [10, false, undefined],
    [25, true, undefined],
    [25, false, /is not called stale/],
    [70, true, /is shown/],
  ])('with rates of %i s before, told as stale: %s, has the fault %s', (seconds, stale, expected) => {
    const fault = faultOfAnswer(operationOf('GET', '/api/rates/usdc-ngn').route, {
      status: 200,
      header: () => 'r-1',
      sentAtMs: ratesAt + seconds * 1_000,
      body: { ...rates, stale, asOf: new Date(ratesAt).toISOString() },
    });
    if (expected === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(expected);
  });

  it('of another form or status than the contract lists has a fault, and so has every 500', () => {
    expect(faultOf(200, { header: 'none' })).toContain('The contract does not have this body');
    expect(faultOf(502, undefined)).toBe('The contract does not list the status 502.');
    expect(faultOf(500, { code: 'INTERNAL', message: 'A fault.' })).toBe('The service answered 500.');
    expect(faultOfAnswer(route, { status: 404, header: () => null, body: {}, sentAtMs: ratesAt })).toBe(
      'The answer has no X-Request-Id.',
    );
  });
});
