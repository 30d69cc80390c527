import { describe, expect, it } from '@jest/globals';
import { entitledParty } from '../../../server/features/disputes/entitlement.rules.js';
import { ada, eve, harbour, type outcomes, storedIntent } from '../../fixtures/disputes/dispute-values.js';

describe('entitledParty', () => {
  it.each([
    ['settled', 'account', null],
    ['expired', 'account', null],
    ['failed', null, 'anchor'],
    ['refunded', null, 'anchor'],
    [null, 'account', 'anchor'],
  ] as const)('%s: the account is %s, the anchor %s, a stranger nobody', (ending, forAccount, forAnchor) => {
    const intent = storedIntent(ada.account, ending);
    expect(entitledParty(intent, ada.account, harbour.account)).toBe(forAccount);
    expect(entitledParty(intent, harbour.account, harbour.account)).toBe(forAnchor);
    expect(entitledParty(intent, eve.account, harbour.account)).toBe(null);
    expect(entitledParty(intent, eve.account, null)).toBe(null);
  });

  it('lets nobody dispute an intent that expired without a transaction', () => {
    const { transactionId, ...intent } = storedIntent(ada.account, 'expired');
    expect(transactionId).toBeDefined();
    expect(entitledParty(intent, ada.account, harbour.account)).toBe(null);
    expect(entitledParty(intent, harbour.account, harbour.account)).toBe(null);
  });

  it('treats an anchor that sells through itself as the party that the outcome goes against', () => {
    const itself = (ending: keyof typeof outcomes) => storedIntent(harbour.account, ending);
    expect(entitledParty(itself('settled'), harbour.account, harbour.account)).toBe('account');
    expect(entitledParty(itself('failed'), harbour.account, harbour.account)).toBe('anchor');
  });
});
