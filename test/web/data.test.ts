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

  it('is the connection where the browser knows that it is offline, and none where the page itself is wrong', () => {
    expect(failureOf(lost, false)).toMatchObject({ problem: { kind: 'offline' }, waitMs: 5_000 });
    expect(failureOf(new RangeError('a corridor is needed'), true)).toBeUndefined();
    expect(failureOf('a text', true)).toBeUndefined();
  });
});

const noon = Date.parse('2026-11-21T12:00:00.000Z');

it.each([-180_000, 0, 180_000])('a device whose clock is off by %s ms has the time of the service', (off) => {
  let passed = 0;
  const clock = createServiceClock({ clock: () => noon + off + passed, steady: () => 5_000 + passed });
  const learn = (date?: string) => clock.learn(new Headers(date === undefined ? {} : { date }));
  const answered = (agoMs: number) => learn(new Date(noon + passed - agoMs).toUTCString());
  // An answer without a date, or with what is none, tells nothing.
  learn();
  learn('today');
  expect(clock.now()).toBe(noon + off);
  answered(0);
  expect(clock.now()).toBe(noon);
  passed = 90_000;
  expect(clock.now()).toBe(noon + 90_000);
  // An answer that is older than the time already known is ignored.
  answered(15_000);
  expect(clock.now()).toBe(noon + 90_000);
});
