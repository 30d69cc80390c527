import { randomInt } from 'node:crypto';

const variable = 'TEST_SEED';

/** Where the environment of the tests finds what to print when one fails. */
export interface SeededRun {
  fairleadTestSeed?: string;
}

/** Mulberry32: the same numbers in [0, 1) for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Another seed each run, or the one that TEST_SEED names. A test of the file that fails prints it, so that it can be
 * had again. Call it once at the top of a file.
 */
export function runSeed(): number {
  const given = process.env[variable] ?? '';
  if (!/^\d{0,10}$/.test(given)) throw new Error(`${variable} must be a whole number`);
  const seed = given === '' ? randomInt(2 ** 31) : Number(given);
  (globalThis as SeededRun).fairleadTestSeed = `${variable}=${seed}`;
  return seed;
}
