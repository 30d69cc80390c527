import type { Random } from '../../server/ports.js';

/** Mulberry32: the same numbers in [0, 1) for the same seed. */
export function seeded(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the items, of which there must be one. */
export function pick<T>(random: Random, items: readonly T[]): T {
  if (items.length === 0) throw new Error('nothing to choose from');
  return items[Math.floor(random() * items.length)] as T;
}

export function randomBytes(random: Random, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => Math.floor(random() * 256));
}

/** A whole number from `low` to `high`, both included. */
export function between(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}
