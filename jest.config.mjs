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
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript' },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  extensionsToTreatAsEsm: ['.ts'],
  resolver: '<rootDir>/test/support/resolver.cjs',
  testEnvironment: '<rootDir>/test/support/environment.ts',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/each-file.ts'],
  reporters: ['default', '<rootDir>/test/support/summary-reporter.ts'],
  // Short tests spend a quarter of their time in waiting; the long ones keep every core busy, and some compare times.
  maxWorkers: runsAll ? Math.max(2, os.availableParallelism()) : os.availableParallelism() + 1,
  // Modules of every test file stay in the memory of its worker, which is replaced when it has grown to this size.
  workerIdleMemoryLimit: '1GB',
  // Hooks start services and processes, on machines that do other things at the same time.
  testTimeout: 60_000,
};
