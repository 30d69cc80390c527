import { describe, expect, it } from '@jest/globals';
import { summaryLines } from '../support/summary-reporter.js';

describe('the lines that end a run', () => {
  it('are one plain line when everything ran', () => {
    expect(summaryLines({ passed: 12, failed: 0, skipped: 0 }, [])).toEqual(['12 passed, 0 failed']);
  });

  it('count what was skipped, and name first what this machine could not run', () => {
    expect(
      summaryLines({ passed: 3, failed: 1, skipped: 2 }, ['no browser: pages', 'no python3: client']),
    ).toEqual([
      'This machine could not run: no browser: pages; no python3: client',
      '3 passed, 1 failed, 2 skipped',
    ]);
  });
});
