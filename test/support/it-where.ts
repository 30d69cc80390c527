import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { it } from '@jest/globals';
import { cannotRunFile } from './run-folder.js';
import { testRun } from './test-run.js';

/**
 * `it` where this machine has what the tests need. Elsewhere they are skipped, counted as skipped, and the run prints
 * the reason once at its end ("no python3: the verifier in Python").
 */
export function itWhere(available: boolean, reason: string): typeof it {
  if (available) return it;
  appendFileSync(cannotRunFile(testRun.runDir), `${JSON.stringify(reason)}\n`);
  return it.skip as typeof it;
}

/** Whether this machine has a program that succeeds with these arguments. */
export function runsHere(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { timeout: 60_000 }).status === 0;
}

export const python3 = runsHere('python3', '--version');
