import { appendFileSync } from 'node:fs';
import { inject, TestRunner } from 'vitest';
import { cannotRunFile } from './run-folder.js';

/**
 * Records that this machine lacks what a test needs ("no Chromium: the page tests"), to be printed once at the end
 * of the run. Called inside a test, it also ends that test as skipped; at the top of a file it only records.
 */
export function cannotRun(reason: string): void {
  appendFileSync(cannotRunFile(inject('runDir')), `${JSON.stringify(reason)}\n`);
  TestRunner.getCurrentTest()?.context.skip(reason);
}
