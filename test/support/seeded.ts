import { randomInt } from 'node:crypto';

export { seeded } from '../../scripts/lib/random.js';

const variable = 'TEST_SEED';

/** The test runner reads here what to print when a test fails. */
export interface SeededRun {
  fairleadTestSeed?: string;
}

/**
 * A new seed in each run, or the one in TEST_SEED. A failing test of the file prints it, so that the run can be repeated.
 * Call it once at the top of a file.
 */
export function runSeed(): number {
  const given = process.env[variable] ?? '';
  if (!/^\d{0,10}$/.test(given)) throw new Error(`${variable} must be a whole number`);
  const seed = given === '' ? randomInt(2 ** 31) : Number(given);
  (globalThis as SeededRun).fairleadTestSeed = `${variable}=${seed}`;
  return seed;
}
