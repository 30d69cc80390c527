import { LRUCache } from 'lru-cache';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock } from '../ports.js';
import { type HeldWindow, withDrawn } from './held-window.rules.js';
import type { Charge, Drawn, GivenBack } from './window-store.js';

/** The most evicted windows with unused points. Points of further ones are lost until their window ends. */
const maxDropped = 10_000;
/** From this many on, their points go back at once: their clients may come back and must not find them gone. */
const manyDropped = 100;
/** A key without a request during this part of its window rests. */
const restingPart = 1 / 6;

/** The windows of which this instance holds points, or knows that they are used up; of many keys, those drawn from last. */
export interface HeldWindows {
  get(key: string): HeldWindow | undefined;
  /** The held window; undefined if it may have ended. */
  running(key: string): HeldWindow | undefined;
  /** Adds drawn points, unless their window has ended or the insurance counts the key meanwhile. */
  addDrawn(key: string, rule: RateLimitClass, drawn: Drawn, sentAt: number): void;
  /** Holds a window that the insurance counts. */
  insure(key: string, window: HeldWindow): void;
  /** Takes out unused points: of resting keys that other instances draw from, or of all keys. */
  takeUnused(of: 'resting' | 'all'): GivenBack[];
  /** Takes out the unused points of evicted windows, if there are many of these windows. */
  takeDropped(): GivenBack[];
  /** Points that the insurance may grant and that the database does not know of yet. */
  uncharged(): Charge[];
  /** Marks what `uncharged` returned for these keys as known to the database. */
  markCharged(keys: readonly string[]): void;
}

export function createHeldWindows({
  stopwatch,
  onUninsured,
  max,
}: {
  /** Monotonic milliseconds. */
  stopwatch: Clock;
  /** The insurance no longer counts this key. */
  onUninsured: (key: string, rule: RateLimitClass) => void;
  /** How many are held at most. */
  max: number;
}): HeldWindows {
  const uncharged = new Set<string>();
  /** The windows with points left that other instances draw from: far fewer than all. */
  const shared = new Map<string, HeldWindow>();
  let dropped: GivenBack[] = [];
  const windows = new LRUCache<string, HeldWindow>({
    // `max` would take the memory for all of them at once.
    maxSize: max,
    sizeCalculation: () => 1,
    dispose(window, key) {
      shared.delete(key);
      if (window.insured === undefined) {
        if (!isUnused(window, stopwatch())) return;
        const given = takeAll(key, window);
        if (dropped.length < maxDropped) dropped.push(given);
        return;
      }
      uncharged.delete(key);
      onUninsured(key, window.rule);
    },
  });

  function running(key: string): HeldWindow | undefined {
    const window = windows.get(key);
    return window !== undefined && stopwatch() < window.servedUntil ? window : undefined;
  }

  return {
    // `peek` does not mark the entry as used: that would cost more on every request than taking its point.
    get: (key) => windows.peek(key),
    running,
    addDrawn(key, rule, drawn, sentAt) {
      if (stopwatch() >= sentAt + drawn.leftMs) return;
      const held = windows.peek(key);
      if (held?.insured !== undefined && stopwatch() < held.servedUntil) return;
      const window = withDrawn(held, rule, drawn, { sentAt, receivedAt: stopwatch() });
      windows.set(key, window);
      if (window.instances > 1) shared.set(key, window);
    },
    insure(key, window) {
      windows.set(key, window);
      uncharged.add(key);
    },
    takeUnused(of) {
      const given = dropped;
      dropped = [];
      const now = stopwatch();
      for (const [key, window] of of === 'all' ? windows.entries() : shared) {
        if (window.insured !== undefined || !isUnused(window, now)) shared.delete(key);
        else if (of === 'all' || isResting(window, now)) given.push(takeAll(key, window));
      }
      return given;
    },
    takeDropped() {
      if (dropped.length < manyDropped) return [];
      const given = dropped;
      dropped = [];
      return given;
    },
    uncharged() {
      const now = stopwatch();
      return [...uncharged].flatMap((key) => {
        const window = windows.peek(key);
        const points = window?.insured;
        if (window === undefined || points === undefined || now >= window.overBy) return [];
        const { rule, overBy } = window;
        const windowMs = rule.windowSeconds * 1_000;
        return [{ key, limit: rule.points, points, leftMs: overBy - now, windowMs }];
      });
    },
    markCharged(keys) {
      for (const key of keys) uncharged.delete(key);
    },
  };
}

function isUnused(window: HeldWindow, now: number): boolean {
  return window.left > 0 && now < window.servedUntil;
}

function isResting({ usedAt, rule }: HeldWindow, now: number): boolean {
  return now - usedAt >= rule.windowSeconds * 1_000 * restingPart;
}

function takeAll(key: string, window: HeldWindow): GivenBack {
  const { left, endsAtMs } = window;
  window.left = 0;
  window.used -= left;
  return { key, points: left, endsAtMs };
}
