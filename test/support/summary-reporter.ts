import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { readCannotRun } from './run-folder.js';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const checkTimeoutMs = 60_000;

/**
 * Ends every run with what this machine could not run, if anything, and the plain line `N passed, N failed`.
 * Whatever makes a run fail is counted as failed: a test, a hook, a file that does not load, a stray rejection, a
 * set-up that failed, a documented answer that a complete run has never seen.
 */
export class SummaryReporter implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
  ): Promise<void> {
    const counts = countResults(modules, unhandledErrors.length);
    const { runDir, answersDir } = this.vitest?.getRootProject().getProvidedContext() ?? {};
    const reasons = runDir === undefined ? [] : readCannotRun(runDir);
    sayWhatWasRepeated(modules);
    if (answersDir !== undefined && counts.failed === 0 && (await this.isComplete(modules))) {
      if (!everyAnswerSeen(answersDir)) {
        counts.failed += 1;
        process.exitCode = 1;
      }
    }
    if (this.vitest?.config.watch) print(counts, reasons);
    // Not before the very end: what fails after the last test is printed, and known, later than this.
    else process.once('exit', (code) => print(code === 0 ? counts : atLeastOneFailed(counts), reasons));
  }

  /** A run of some files or some tests cannot be asked to have seen everything. */
  private async isComplete(modules: readonly TestModule[]): Promise<boolean> {
    if (this.vitest === undefined || this.vitest.config.testNamePattern !== undefined) return false;
    return modules.length === (await this.vitest.globTestSpecifications()).length;
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

/** A test that passed only when it was run again is worth a look. */
function sayWhatWasRepeated(modules: readonly TestModule[]): void {
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const retries = test.diagnostic()?.retryCount ?? 0;
      if (retries > 0) process.stdout.write(`run again: ${module.relativeModuleId} > ${test.fullName}\n`);
    }
  }
}

function everyAnswerSeen(answersDir: string): boolean {
  const { status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'scripts/check-answers-seen.ts', answersDir],
    {
      cwd: root,
      stdio: 'inherit',
      timeout: checkTimeoutMs,
    },
  );
  return status === 0;
}

function atLeastOneFailed(counts: Counts): Counts {
  return { ...counts, failed: Math.max(1, counts.failed) };
}

function print(counts: Counts, reasons: readonly string[]): void {
  process.stdout.write(`${summaryLines(counts, reasons).join('\n')}\n`);
}

/** The lines that end a run; the last one is read by programs. */
export function summaryLines(counts: Counts, cannotRun: readonly string[]): string[] {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  return [
    ...(cannotRun.length > 0 ? [`This machine could not run: ${cannotRun.join('; ')}`] : []),
    `${counts.passed} passed, ${counts.failed} failed${skipped}`,
  ];
}
