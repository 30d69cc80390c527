import { describe, expect, it } from '@jest/globals';
import { chosenEntry } from '../../../web/src/pages/proof/chosen.js';

const entries = [
  { anchorId: 'ferry', corridor: 'usdc-ghs', score: null },
  { anchorId: 'harbour', corridor: 'usdc-kes', score: null },
  { anchorId: 'harbour', corridor: 'usdc-ngn', score: '92.34' },
  { anchorId: 'squall', corridor: 'usdc-ngn', score: '65.60' },
];

describe('the score that is checked', () => {
  it.each([
    ['the first with a score, where the address names nothing', '', '', 'harbour', 'usdc-ngn'],
    ['the first with a score of the anchor', 'squall', '', 'squall', 'usdc-ngn'],
    ['the first of the corridor', '', 'usdc-ngn', 'harbour', 'usdc-ngn'],
    ['the named one, in upper or lower case', 'Harbour', 'USDC-KES', 'harbour', 'usdc-kes'],
    [
      'the named one, even if the batch has none, which the service says',
      'gone',
      'usdc-zar',
      'gone',
      'usdc-zar',
    ],
  ])('is %s', (_, anchorId, corridor, chosen, inCorridor) => {
    const entry = chosenEntry(entries, { anchorId, corridor });
    expect(entry).toMatchObject({ anchorId: chosen, corridor: inCorridor });
    expect(entry?.anchors).toContain(chosen);
    expect(entry?.corridors).toContain(inCorridor);
  });

  it('is none in a batch without entries', () => {
    expect(chosenEntry([], { anchorId: '', corridor: '' })).toBeUndefined();
  });
});
