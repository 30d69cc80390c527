import { describe, expect, it } from '@jest/globals';
import { summaryLines } from '../support/summary-reporter.js';

describe('the lines that end a run', () => {
  it('are one plain line when everything ran', () => {
    const counts = { passed: 12, failed: 0, skipped: 0 };
    expect(summaryLines(counts, [])).toEqual(['12 passed, 0 failed']);
  });

  it('count what was skipped, and name first what this machine could not run', () => {
    const counts = { passed: 3, failed: 0, skipped: 2 };
    const cannotRun = ['no browser: pages', 'no python3: client'];
    expect(summaryLines(counts, cannotRun)).toEqual([
      'This machine could not run: no browser: pages; no python3: client',
      '3 passed, 0 failed, 2 skipped',
    ]);
  });
});
