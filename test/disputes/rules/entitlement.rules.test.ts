import { describe, expect, it } from '@jest/globals';
import { entitledParty } from '../../../server/features/disputes/entitlement.rules.js';
import { anchorSigner, type outcomes, signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';

const account = signer('ada').account;
const anchorKey = anchorSigner('harbour').account;
const stranger = signer('eve').account;

describe('entitledParty', () => {
  it.each([
    ['settled', 'account', null],
    ['expired', 'account', null],
    ['failed', null, 'anchor'],
    ['refunded', null, 'anchor'],
    [null, 'account', 'anchor'],
  ] as const)('%s: the account is %s, the anchor %s, a stranger nobody', (ending, forAccount, forAnchor) => {
    const intent = storedIntent(account, ending);
    expect(entitledParty(intent, account, anchorKey)).toBe(forAccount);
    expect(entitledParty(intent, anchorKey, anchorKey)).toBe(forAnchor);
    expect(entitledParty(intent, stranger, anchorKey)).toBe(null);
    expect(entitledParty(intent, stranger, null)).toBe(null);
  });

  it('lets nobody dispute an intent that expired without a transaction', () => {
    const { transactionId, ...intent } = storedIntent(account, 'expired');
    expect(transactionId).toBeDefined();
    expect(entitledParty(intent, account, anchorKey)).toBe(null);
    expect(entitledParty(intent, anchorKey, anchorKey)).toBe(null);
  });

  it('treats an anchor that sells through itself as the party that the outcome goes against', () => {
    const itself = (ending: keyof typeof outcomes) => storedIntent(anchorKey, ending);
    expect(entitledParty(itself('settled'), anchorKey, anchorKey)).toBe('account');
    expect(entitledParty(itself('failed'), anchorKey, anchorKey)).toBe('anchor');
  });
});
