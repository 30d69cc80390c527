import { describe, expect, it } from '@jest/globals';
import { judgeAudit } from '../../scripts/check-audit.js';
import { type Found, judge } from '../../scripts/check-images.js';

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

describe('the check of images', () => {
  it.each<[string, Record<string, string>, Found, boolean, string]>([
    [
      'passes where the registry has what is recorded',
      { 'mongo:6.0.5': digest('a') },
      digest('a'),
      false,
      'as recorded',
    ],
    ['fails where a tag was moved', { 'mongo:6.0.5': digest('a') }, digest('b'), true, 'but recorded is'],
    ['fails where a tag does not exist', {}, 'missing', true, 'no such tag'],
    ['passes, and tells the digest, where none is recorded', {}, digest('a'), false, 'not recorded yet'],
    [
      'passes, and says so, where no registry answers',
      { 'mongo:6.0.5': digest('a') },
      'silent',
      false,
      'no registry answers',
    ],
  ])('%s', (_title, recorded, found, failed, says) => {
    const result = judge(recorded, new Map([['mongo:6.0.5', found]]));
    expect(result.failed).toBe(failed);
    expect(result.lines).toEqual([expect.stringContaining(says)]);
  });
});

describe('the check of packages', () => {
  const audit = (counts: object) =>
    JSON.stringify({ metadata: { vulnerabilities: { total: 3, ...counts } } });

  it('fails on a fault that is high or critical, and on no other', () => {
    expect(judgeAudit(audit({ moderate: 3 })).failed).toBe(false);
    expect(judgeAudit(audit({ high: 1 }))).toMatchObject({
      failed: true,
      line: expect.stringContaining('1 high'),
    });
    expect(judgeAudit(audit({ critical: 1 })).failed).toBe(true);
  });

  it.each(['', 'not JSON', '{"message":"405 Method Not Allowed"}'])(
    'passes, and says so in one line, without an answer: %s',
    (output) => {
      const { line, failed } = judgeAudit(output);
      expect(failed).toBe(false);
      expect(line).toMatch(/^npm audit: the registry does not answer .*not checked$/);
    },
  );
});
