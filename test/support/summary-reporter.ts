import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AggregatedResult, Config, Reporter, TestContext } from '@jest/reporters';
import { readCannotRun } from './run-folder.js';
import { testRun } from './test-run.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const checkTimeoutMs = 60_000;

/**
 * Ends every run with the things that this machine could not run, if any, and the plain line `N passed, N failed`.
 * Everything that makes a run fail counts as failed: a test, a file that does not load, a documented answer that a complete
 * run has not seen.
 */
export default class SummaryReporter implements Pick<Reporter, 'onRunComplete' | 'getLastError'> {
  private failure: Error | undefined;

  constructor(private readonly config: Config.GlobalConfig) {}

  onRunComplete(_contexts: Set<TestContext>, results: AggregatedResult): void {
    const counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites + (results.wasInterrupted ? 1 : 0),
      skipped: results.numPendingTests + results.numTodoTests,
    };
    if (this.isComplete(results) && !everyAnswerSeen()) {
      counts.failed += 1;
      this.failure = new Error('a documented answer was seen by no test');
    }
    process.once('exit', (code) => {
      if (code !== 0) counts.failed = Math.max(1, counts.failed);
      const cannotRun = readCannotRun(testRun.runDir);
      const say = (line: string) => process.stdout.write(`${line}\n`);
      if (cannotRun.length > 0) say(`This machine could not run: ${cannotRun.join('; ')}`);
      // `.ci/run` reads the last line.
      const { passed, failed, skipped } = counts;
      say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
    });
  }

  /** Makes jest end with a failure. */
  getLastError(): Error | undefined {
    return this.failure;
  }

  /** Whether every HTTP test has run; in other runs unseen answers are not a fault. */
  private isComplete(results: AggregatedResult): boolean {
    if (this.config.testNamePattern !== undefined && this.config.testNamePattern !== '') return false;
    const ran = new Set(results.testResults.map(({ testFilePath }) => relative(root, testFilePath)));
    const files = readdirSync(`${root}/test`, { recursive: true, encoding: 'utf8' });
    const needed = files.filter((file) => /(^|\/)http\/[^/]+(?<!\.long)\.test\.ts$/.test(file));
    return needed.every((file) => ran.has(`test/${file}`));
  }
}

function everyAnswerSeen(): boolean {
  const { status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'scripts/check-answers-seen.ts', testRun.answersDir],
    { cwd: root, stdio: 'inherit', timeout: checkTimeoutMs },
  );
  return status === 0;
}
