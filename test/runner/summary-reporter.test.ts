import { describe, expect, it } from '@jest/globals';
import { summaryLines } from '../support/summary-reporter.js';

const nothingFailed = { paths: [], failed: 0 };

describe('the lines that end a run', () => {
  it('are one plain line when everything ran', () => {
    const counts = { passed: 12, failed: 0, skipped: 0 };
    expect(summaryLines(counts, { cannotRun: [], failedFiles: nothingFailed })).toEqual([
      '12 passed, 0 failed',
    ]);
  });

  it('count what was skipped, and name first what this machine could not run', () => {
    const counts = { passed: 3, failed: 0, skipped: 2 };
    const cannotRun = ['no browser: pages', 'no python3: client'];
    expect(summaryLines(counts, { cannotRun, failedFiles: nothingFailed })).toEqual([
      'This machine could not run: no browser: pages; no python3: client',
      '3 passed, 0 failed, 2 skipped',
    ]);
  });

  it('name the files that can be run again, with their failures alone', () => {
    const failedFiles = { paths: ['test/a.test.ts', 'test/b.test.ts'], failed: 2 };
    const counts = { passed: 9, failed: 3, skipped: 0 };
    expect(summaryLines(counts, { cannotRun: [], failedFiles })).toEqual([
      '2 failed in: test/a.test.ts test/b.test.ts',
      '9 passed, 3 failed',
    ]);
  });
});
