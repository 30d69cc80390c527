import { LRUCache } from 'lru-cache';
import type { RateLimitClass } from '../../contract/rate-limits.js';
import type { Clock } from '../ports.js';
import { type HeldWindow, withDrawn } from './held-window.rules.js';
import type { Charge, Drawn, GivenBack } from './window-store.js';

const maxKeys = 50_000;
/** Of windows that gave way with points left. Beyond it, points are lost to their window. */
const maxDropped = 10_000;
/** From so many on, their points go back at once: their clients may come back and must not find them gone. */
const manyDropped = 100;
/** A key that asked for nothing during this part of its window rests. */
const restingPart = 1 / 6;

/** All windows that this instance holds points of, or knows to be used up; of many keys, those drawn from last. */
export interface HeldWindows {
  get(key: string): HeldWindow | undefined;
  /** Undefined where the window held may have ended. */
  running(key: string): HeldWindow | undefined;
  /** Holds what was drawn, unless its window has ended or the insurance counts the key meanwhile. */
  addDrawn(key: string, rule: RateLimitClass, drawn: Drawn, sentAt: number): void;
  /** Holds a window that the insurance counts. */
  insure(key: string, window: HeldWindow): void;
  /** Unused points, which are then no longer held: of keys that rest and that other instances draw from, or of all. */
  takeUnused(of: 'resting' | 'all'): GivenBack[];
  /** Unused points of windows that gave way to others, where there are many of them. */
  takeDropped(): GivenBack[];
  /** What the insurance may grant, where the database does not know it yet. */
  uncharged(): Charge[];
  /** The database knows what `uncharged` returned for these keys. */
  markCharged(keys: readonly string[]): void;
}

export function createHeldWindows({
  stopwatch,
  onUninsured,
  max = maxKeys,
}: {
  /** Monotonic milliseconds. */
  stopwatch: Clock;
  /** The insurance no longer counts this key. */
  onUninsured: (key: string, rule: RateLimitClass) => void;
  max?: number;
}): HeldWindows {
  const uncharged = new Set<string>();
  /** Those that other instances draw from, while points are left: far fewer than all. */
  const shared = new Map<string, HeldWindow>();
  let dropped: GivenBack[] = [];
  const windows = new LRUCache<string, HeldWindow>({
    max,
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
    // Not noted as used: a note of every request would cost more than taking its point.
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
