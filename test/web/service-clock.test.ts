import { expect, it } from '@jest/globals';
import { createServiceClock } from '../../web/src/data/service-clock.js';

const noon = Date.parse('2026-11-21T12:00:00.000Z');
const minute = 60_000;

/** A device whose clock is off by this much, and the answers of a service. */
function device(offMs: number) {
  let passed = 0;
  let setTo = noon + offMs;
  const clock = createServiceClock({ clock: () => setTo + passed, steady: () => 5_000 + passed });
  return {
    clock,
    pass: (ms: number) => {
      passed += ms;
    },
    setClock: (ms: number) => {
      setTo = ms;
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

it('takes the time of the first answer, even if that answer is 40 s old', () => {
  const { clock, answer } = device(0);
  answer(40_000);
  expect(clock.now()).toBe(noon - 40_000);
});

it('ignores an answer that is older than the time already known', () => {
  const { clock, answer, pass } = device(0);
  answer();
  pass(1_000);
  answer(15_000);
  expect(clock.now()).toBe(noon + 1_000);
});

it('keeps the service time when the device clock is changed while the page is open', () => {
  const { clock, answer, setClock } = device(-3 * minute);
  answer();
  setClock(noon);
  expect(clock.now()).toBe(noon);
});

it('uses the device clock when the Date header is missing or not a date', () => {
  const { clock } = device(minute);
  clock.learn(new Headers());
  clock.learn(new Headers({ date: 'today' }));
  expect(clock.now()).toBe(noon + minute);
});
