import { describe, expect, it } from '@jest/globals';
import { waitingHelps } from '../../../server/features/rates/answer.rules.js';

describe('waiting', () => {
  it.each([
    [['timeout'], true, true],
    [['unauthorized', 'circuit_open'], true, true],
    [['unauthorized', 'blocked', 'not_served', 'refused_amount'], true, false],
    [['no_fx'], true, true],
    [['no_fx', 'not_served'], false, false],
    [[], true, false],
  ] as const)(
    'for anchors with the reasons %j, with an FX reference: %s, helps: %s',
    (reasons, hasFx, helps) => {
      expect(waitingHelps(reasons, { hasFx })).toBe(helps);
    },
  );
});
