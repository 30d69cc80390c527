import { describe, expect, it } from '@jest/globals';
import {
  isUnsupported,
  spentUnsupported,
  unsupportedLimits,
} from '../../../server/features/disputes/unsupported.rules.js';
import { nothingObserved } from '../../../server/features/intents/transition/settle-time.rules.js';
import { signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';

const { perClient, perAnchor } = unsupportedLimits;
const owner = signer('owner').account;

describe('an intent whose dispute is unsupported', () => {
  it('expired without any record of its transaction', () => {
    const changes = { observations: nothingObserved };
    expect(isUnsupported(storedIntent(owner, 'expired', { changes }))).toBe(true);
    expect(isUnsupported(storedIntent(owner, 'expired'))).toBe(false);
    expect(isUnsupported(storedIntent(owner, null, { changes }))).toBe(false);
    for (const ending of ['settled', 'failed', 'refunded'] as const)
      expect(isUnsupported(storedIntent(owner, ending))).toBe(false);
  });
});

describe('the limits of unsupported disputes', () => {
  it('refuse a client its fourth, whatever the anchor', () => {
    const granted = Array.from({ length: 10 }, (_, used) => spentUnsupported(used, 0));
    expect(granted).toEqual(Array.from({ length: 10 }, (_, used) => (used < perClient ? null : 'perClient')));
  });

  it('keep the second half of an anchor for clients that have filed none', () => {
    expect(spentUnsupported(1, perAnchor / 2 - 1)).toBe(null);
    expect(spentUnsupported(1, perAnchor / 2)).toBe('perAnchor');
    expect(spentUnsupported(0, perAnchor - 1)).toBe(null);
    expect(spentUnsupported(0, perAnchor)).toBe('perAnchor');
  });

  it('cannot be used up by fewer than 130 clients', () => {
    let clients = 0;
    for (let ofAnchor = 0; ofAnchor < perAnchor; clients += 1) {
      for (let ofClient = 0; spentUnsupported(ofClient, ofAnchor) === null; ofClient += 1) ofAnchor += 1;
    }
    expect(clients).toBeGreaterThan(130);
  });
});
