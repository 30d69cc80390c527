import { describe, expect, it } from '@jest/globals';
import { recordNamed } from '../../../web/src/pages/anchors/use-record-view.js';

describe('the record that an address names', () => {
  it('is that of one corridor, in upper or lower case as the service takes it', () => {
    const inLower = recordNamed({ window: '7', formula: 'v2', corridor: 'usdc-ngn' });
    expect(inLower).toEqual({
      window: '7',
      formula: 'v2',
      corridor: 'usdc-ngn',
      search: '?corridor=usdc-ngn&window=7&formula=v2',
      proofSearch: '?corridor=usdc-ngn&formula=v2',
    });
    expect(recordNamed({ window: '7', formula: 'v2', corridor: 'USDC-NGN' })).toEqual(inLower);
  });

  it('is that of all corridors over 30 days, by the formula that leads, where it names nothing that is known', () => {
    for (const window of ['30', '8'])
      expect(recordNamed({ window, formula: 'v0', corridor: '' })).toEqual({
        window: '30',
        formula: undefined,
        corridor: undefined,
        search: '',
        proofSearch: '',
      });
  });
});
