import { randomInt } from 'node:crypto';

export { seeded } from '../../scripts/lib/random.js';

const variable = 'TEST_SEED';

/** Where the test runner finds what to print when one fails. */
export interface SeededRun {
  fairleadTestSeed?: string;
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
