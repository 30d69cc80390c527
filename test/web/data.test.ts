import { describe, expect, it } from '@jest/globals';
import { FairleadError, UnexpectedAnswerError } from '../../contract/client/index.js';
import { failureOf } from '../../web/src/data/problem.js';
import { createServiceClock } from '../../web/src/data/service-clock.js';

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

const noon = Date.parse('2026-11-21T12:00:00.000Z');
const minute = 60_000;

/** A device whose clock is off by this much, and the answers of a service. */
function device(offMs: number) {
  let passed = 0;
  const clock = createServiceClock({ clock: () => noon + offMs + passed, steady: () => 5_000 + passed });
  return {
    clock,
    pass: (ms: number) => {
      passed += ms;
    },
    /** Learns from an answer that the service made `agoMs` ago. */
    answer: (agoMs = 0) => clock.learn(new Headers({ date: new Date(noon + passed - agoMs).toUTCString() })),
  };
}

it.each([-3 * minute, 3 * minute])(
  'a device whose clock is off by %s ms has the time of the service',
  (off) => {
    const { clock, answer, pass } = device(off);
    expect(clock.now()).toBe(noon + off);
    answer();
    expect(clock.now()).toBe(noon);
    pass(90_000);
    expect(clock.now()).toBe(noon + 90_000);
  },
);

it('ignores an answer that is older than the time already known', () => {
  const { clock, answer, pass } = device(0);
  answer();
  pass(1_000);
  answer(15_000);
  expect(clock.now()).toBe(noon + 1_000);
});

it('uses the device clock when the Date header is missing or not a date', () => {
  const { clock } = device(minute);
  clock.learn(new Headers());
  clock.learn(new Headers({ date: 'today' }));
  expect(clock.now()).toBe(noon + minute);
});
