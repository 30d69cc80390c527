import { describe, expect, it } from '@jest/globals';
import { FairleadError, UnexpectedAnswerError } from '../../contract/client/index.js';
import { failureOf } from '../../web/src/data/problem.js';

function refusal(status: number, headers: Record<string, string> = {}): FairleadError {
  const body = { code: 'RATE_LIMITED' as const, message: 'Why.', requestId: 'r', retryAfter: 17 };
  return new FairleadError({ status, headers: new Headers(headers), body });
}

describe('the problem behind a failed call', () => {
  it('is the limit, for as many seconds as the service says', () => {
    const failure = failureOf(refusal(429, { 'retry-after': '17' }), true);
    expect(failure).toMatchObject({ problem: { kind: 'limited' }, waitMs: 17_000 });
  });

  it.each([500, 503])('is a service that cannot answer: %s', (status) => {
    const failure = failureOf(refusal(status, { 'retry-after': '2' }), true);
    expect(failure).toMatchObject({
      problem: { kind: 'unavailable', body: { message: 'Why.' } },
      waitMs: 2_000,
    });
    expect(failureOf(refusal(status), true)?.waitMs).toBe(5_000);
  });

  it.each([400, 404, 422])('is a refusal that asking again does not help: %s', (status) => {
    const failure = failureOf(refusal(status), true);
    expect(failure).toMatchObject({ problem: { kind: 'refused', status }, waitMs: null });
  });

  it('is the connection: offline where the browser knows it, else a service out of reach', () => {
    const lost = new TypeError('Failed to fetch');
    expect(failureOf(lost, false)).toMatchObject({ problem: { kind: 'offline' }, waitMs: 5_000 });
    expect(failureOf(lost, true)).toMatchObject({ problem: { kind: 'unreachable' }, waitMs: 5_000 });
  });

  it('is a service out of reach where the answer is late or comes from somebody else', () => {
    const late = new DOMException('no answer within 15000 ms', 'TimeoutError');
    const answer = { status: 502, headers: new Headers(), body: '<html>Bad gateway</html>' };
    for (const error of [late, new UnexpectedAnswerError('listCorridors', answer)])
      expect(failureOf(error, true)?.problem.kind).toBe('unreachable');
  });

  it('is none where the page itself is wrong, so that the fault is not hidden', () => {
    expect(failureOf(new RangeError('a corridor is needed'), true)).toBeUndefined();
    expect(failureOf('a text', true)).toBeUndefined();
  });
});
