import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/support/summary-reporter.js';

/** One MongoDB replica set a run (global setup), one database a test file; two files at a time. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', new SummaryReporter()],
    pool: 'forks',
    maxWorkers: 2,
    // Processes are stopped and killed here by the clock of a shared machine: in CI a test may be run once more, and
    // the run says which were. What is wrong fails twice.
    retry: process.env.CI === 'true' ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
