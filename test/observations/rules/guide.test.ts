import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  fewestObservations,
  fewestPayouts,
  findingCodes,
  unobservedReasons,
} from '../../../contract/schemas/observations.js';
import { callsPerAnchor, callsPerRound } from '../../../server/features/observations/round-plan.rules.js';

const guide = readFileSync(new URL('../../../docs/observations.md', import.meta.url), 'utf8');

function firstColumn(header: string): string[] {
  const table = guide.slice(guide.indexOf(`| ${header} |`)).split('\n\n')[0] ?? '';
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, word = '']) => word);
}

describe('docs/observations.md', () => {
  it('lists every code of a finding and every reason of a null, and no other', () => {
    expect(firstColumn('code')).toEqual(Object.keys(findingCodes));
    expect(firstColumn('reason')).toEqual(Object.keys(unobservedReasons));
  });

  it('tells the thresholds and the budget', () => {
    expect(guide).toContain(`fewer than ${fewestObservations}:`);
    expect(guide).toContain(`fewer than ${fewestPayouts} payouts`);
    expect(guide).toContain(`${callsPerAnchor} calls to an anchor in a round, 1,000 to all of them`);
    expect(callsPerRound).toBe(1_000);
  });
});
