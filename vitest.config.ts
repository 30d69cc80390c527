import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/helpers/summary-reporter.js';

/** One MongoDB replica set a run (global setup), one database a test file; two files at a time. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/global-setup.ts'],
    reporters: ['default', new SummaryReporter()],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
