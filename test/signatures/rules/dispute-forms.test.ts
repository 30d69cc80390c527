import { describe, expect, it } from '@jest/globals';
import { fromHex, utf8 } from '../../../contract/verification/bytes.js';
import { sep53Hash } from '../../../contract/verification/sep53.js';
import { disputeForms } from '../../../server/signatures/dispute-forms.js';

describe('the forms of what a dispute signs', () => {
  it('are the SEP-53 hash, the text and the bytes of the intent hash', () => {
    const intentHash = '0123456789abcdef'.repeat(4);
    expect(disputeForms(intentHash)).toEqual([sep53Hash(intentHash), utf8(intentHash), fromHex(intentHash)]);
  });

  it('are refused of an intent hash in another form', () => {
    for (const text of ['', 'ab', 'AB'.repeat(32), 'zz'.repeat(32), 'ab'.repeat(33)]) {
      expect(() => disputeForms(text)).toThrow(RangeError);
    }
  });
});
