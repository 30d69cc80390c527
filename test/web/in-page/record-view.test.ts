import { describe, expect, it } from '@jest/globals';
import { recordNamed } from '../../../web/src/pages/anchors/use-record-view.js';

describe('the record that an address names', () => {
  it('is that of one corridor, in upper or lower case as the service takes it', () => {
    const inLower = recordNamed({ window: '7', corridor: 'usdc-ngn' });
    expect(inLower).toEqual({
      window: '7',
      corridor: 'usdc-ngn',
      search: '?corridor=usdc-ngn&window=7',
      proofSearch: '?corridor=usdc-ngn',
    });
    expect(recordNamed({ window: '7', corridor: 'USDC-NGN' })).toEqual(inLower);
  });

  it('is that of all corridors over 30 days, where it names nothing that is known', () => {
    for (const window of ['30', '8'])
      expect(recordNamed({ window, corridor: '' })).toEqual({
        window: '30',
        corridor: undefined,
        search: '',
        proofSearch: '',
      });
  });
});
