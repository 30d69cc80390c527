import type { SerializedError } from 'vitest';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { readCannotRun } from './run-folder.js';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Ends every run with what this machine could not run, if anything, and the plain line `N passed, N failed`.
 * Whatever makes a run fail is counted as failed: a test, a hook, a file that does not load, a stray rejection.
 */
export class SummaryReporter implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const runDir = this.vitest?.getRootProject().getProvidedContext().runDir;
    const reasons = runDir === undefined ? [] : readCannotRun(runDir);
    const lines = summaryLines(countResults(modules, unhandledErrors.length), reasons);
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

function countResults(modules: readonly TestModule[], unhandledErrors: number): Counts {
  const counts = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test still pending at the end of a run was never run: an interrupted run has not passed.
      counts[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return counts;
}

/** The lines that end a run; the last one is read by programs. */
export function summaryLines(counts: Counts, cannotRun: readonly string[]): string[] {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  return [
    ...(cannotRun.length > 0 ? [`This machine could not run: ${cannotRun.join('; ')}`] : []),
    `${counts.passed} passed, ${counts.failed} failed${skipped}`,
  ];
}
