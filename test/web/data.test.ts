import { describe, expect, it } from '@jest/globals';
import { FairleadError, UnexpectedAnswerError } from '../../contract/client/index.js';
import { failureOf } from '../../web/src/data/problem.js';
import { createServiceClock } from '../../web/src/data/service-clock.js';

function refusal(status: number, headers: Record<string, string> = {}): FairleadError {
  const body = { code: 'RATE_LIMITED' as const, message: 'Why.', requestId: 'r', retryAfter: 17 };
  return new FairleadError({ status, headers: new Headers(headers), body });
}

const lost = new TypeError('Failed to fetch');
const late = new DOMException('no answer within 15000 ms', 'TimeoutError');
const foreign = { status: 502, headers: new Headers(), body: '<html>Bad gateway</html>' };

describe('the problem behind a failed call', () => {
  it.each([
    ['the limit', refusal(429, { 'retry-after': '17' }), 'limited', 17_000],
    ['a fault, for as long as it says', refusal(500, { 'retry-after': '2' }), 'unavailable', 2_000],
    ['a service that is not ready', refusal(503), 'unavailable', 5_000],
    ['what is wrong with the request', refusal(400), 'refused', null],
    ['what is not there', refusal(404), 'refused', null],
    ['what cannot be done', refusal(422), 'refused', null],
    ['a lost connection', lost, 'unreachable', 5_000],
    ['a late answer', late, 'unreachable', 5_000],
    ['an answer of somebody else', new UnexpectedAnswerError('x', foreign), 'unreachable', 5_000],
  ])('is %s', (_, error, kind, waitMs) => {
    expect(failureOf(error, true)).toMatchObject({ problem: { kind }, waitMs });
  });

  it('is the connection where the browser knows that it is offline', () => {
    expect(failureOf(lost, false)).toMatchObject({ problem: { kind: 'offline' }, waitMs: 5_000 });
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
