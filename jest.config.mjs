import os from 'node:os';

const runsAll = process.env.FAIRLEAD_TESTS === 'all';

/**
 * One MongoDB replica set per run (global setup), one database per test file. `npm test` leaves out what is named
 * `*.long.test.ts`: kills, soaks and other tests that take more than a few seconds each; `npm run test:all` runs all.
 * @type {import('jest').Config}
 */
export default {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: runsAll ? [] : ['\\.long\\.test\\.ts$'],
  // Node loads what tests import, by way of tsx: Jest has nothing to transform, and nothing to make global.
  testRunner: '<rootDir>/test/support/test-runner.ts',
  transform: {},
  injectGlobals: false,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  reporters: ['default', '<rootDir>/test/support/summary-reporter.ts'],
  // Short tests spend a third of their time in waiting; the long ones keep every core busy, and some compare times.
  maxWorkers: runsAll ? Math.max(2, os.availableParallelism()) : os.availableParallelism() + 2,
  // What a worker has loaded stays in its memory; it is replaced when it has grown to this size.
  workerIdleMemoryLimit: '1GB',
  // Hooks start services and processes, on machines that do other things at the same time.
  testTimeout: 60_000,
};
