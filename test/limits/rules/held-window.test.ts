import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type HeldWindow, insurable, takeFrom, withDrawn } from '../../../server/limits/held-window.rules.js';
import { propertyRuns } from '../../support/property-runs.js';

const second = 1_000;
const windowMs = 60 * second;

type Step =
  | { kind: 'request'; at: number; afterMs: number }
  | { kind: 'draw'; at: number; waiting: number; afterMs: number; lateMs: number; isLost: boolean };

const instances = fc.integer({ min: 0, max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('request' as const), at: instances, afterMs: fc.nat(2 * second) }),
  fc.record({
    kind: fc.constant('draw' as const),
    at: instances,
    waiting: fc.integer({ min: 1, max: 20 }),
    afterMs: fc.nat(2 * second),
    lateMs: fc.nat(5 * second),
    isLost: fc.boolean(),
  }),
);

/** The windows in the database, from which several instances with different stopwatch origins draw. */
function world(points: number) {
  const rule = { points, windowSeconds: windowMs / second, key: 'client' } as const;
  const stopwatchOffsets = [0, 7_919, -61_000, 1_234_567];
  const held: (HeldWindow | undefined)[] = [];
  const accepted = new Map<number, number>();
  const shown = new Map<string, number>();
  const windows = { endsAtMs: 0, used: 0 };
  let nowMs = 1_000_000;
  const stopwatch = (at: number) => nowMs + (stopwatchOffsets[at] ?? 0);

  return {
    accepted,
    pass(ms: number) {
      nowMs += ms;
    },
    draw(at: number, { waiting, lateMs, isLost }: { waiting: number; lateMs: number; isLost: boolean }) {
      const sentAt = stopwatch(at);
      nowMs += lateMs / 2;
      if (windows.endsAtMs <= nowMs) Object.assign(windows, { endsAtMs: nowMs + windowMs, used: 0 });
      const got = Math.min(points - windows.used, Math.max(waiting, Math.ceil((points - windows.used) / 8)));
      windows.used += got;
      const drawn = { got, ...windows, leftMs: windows.endsAtMs - nowMs, instances: 4 };
      nowMs += lateMs / 2;
      if (!isLost) held[at] = withDrawn(held[at], rule, drawn, { sentAt, receivedAt: stopwatch(at) });
    },
    request(at: number) {
      const window = held[at];
      const state = window === undefined ? undefined : takeFrom(window, stopwatch(at));
      if (window === undefined || state === undefined) return;
      expect(nowMs).toBeLessThan(window.endsAtMs);
      const known = `${at} ${window.endsAtMs}`;
      expect(state.remaining).toBeLessThanOrEqual(shown.get(known) ?? points);
      expect(state.remaining).toBeGreaterThanOrEqual(0);
      shown.set(known, state.remaining);
      if (state.retryAfterSeconds === undefined)
        accepted.set(window.endsAtMs, (accepted.get(window.endsAtMs) ?? 0) + 1);
      else expect(nowMs + state.retryAfterSeconds * second).toBeGreaterThanOrEqual(window.endsAtMs);
    },
  };
}

it('instances that draw, lose answers and get them late never grant more than the limit of a window', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), fc.array(step, { maxLength: 200 }), (points, steps) => {
      const { accepted, ...clients } = world(points);
      for (const each of steps) {
        clients.pass(each.afterMs);
        if (each.kind === 'request') clients.request(each.at);
        else clients.draw(each.at, each);
      }
      for (const count of accepted.values()) expect(count).toBeLessThanOrEqual(points);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

const rule = { points: 90, windowSeconds: 60, key: 'client' } as const;
const drawn = { got: 10, used: 30, endsAtMs: 1_000_000, leftMs: windowMs };
const times = { sentAt: 5, receivedAt: 9 };

it('a refusal ends when the window has ended for sure, and not before', () => {
  const window = withDrawn(undefined, rule, { ...drawn, got: 0, used: 90, instances: 2 }, times);
  expect(takeFrom(window, 5 + windowMs - 1)?.retryAfterSeconds).toBe(1);
  expect(takeFrom(window, 5 + windowMs)).toBeUndefined();
});

it('times of a window are whole milliseconds, rounded so that no point is granted after its end', () => {
  const exchange = { sentAt: 0.6, receivedAt: 1.2 };
  const window = withDrawn(undefined, rule, { ...drawn, leftMs: 1_000, instances: 1 }, exchange);
  expect(window).toMatchObject({ servedUntil: 1_000, overBy: 1_002, usedAt: 1 });
  takeFrom(window, 7.9);
  expect(window.usedAt).toBe(7);
});

const outage = (instances: number) => ({ instances, isOutage: true });

it('without the database, an instance that is alone goes on with the rest of the window', () => {
  const window = withDrawn(undefined, rule, { ...drawn, instances: 1 }, times);
  expect(insurable(window, rule, { instances: 1, isOutage: false })).toBe(60);
  expect(insurable(undefined, rule, { instances: 1, isOutage: false })).toBe(90);
});

it('without the database, one of several grants nothing of a window that the others may have used up', () => {
  const window = withDrawn(undefined, rule, { ...drawn, instances: 1 }, times);
  expect(insurable(window, rule, outage(2))).toBeUndefined();
  expect(insurable({ ...window, instances: 2 }, rule, outage(1))).toBeUndefined();
});

it('where the database is slow and not away, one of several grants nothing by itself', () => {
  expect(insurable(undefined, rule, { instances: 2, isOutage: false })).toBeUndefined();
});

it.each([
  [1, 90],
  [4, 22],
  [100, 1],
])('without the database, one of %i instances grants %i of a window that begins now', (count, points) => {
  expect(insurable(undefined, rule, outage(count))).toBe(points);
});
