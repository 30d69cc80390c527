import { describe, expect, it } from '@jest/globals';
import {
  effectOf,
  entitledParty,
  isWithinWindow,
} from '../../../server/features/disputes/entitlement.rules.js';
import { anchorSigner, outcomes, signer, storedIntent } from '../../fixtures/disputes/dispute-values.js';

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

describe('isWithinWindow', () => {
  const recordedAt = Date.UTC(2026, 10, 1);
  const days = (count: number) => new Date(recordedAt + count * 86_400_000);

  it('lasts 30 days from the outcome, to the millisecond', () => {
    const intent = storedIntent(account, 'settled', { now: recordedAt });
    expect(isWithinWindow(intent, days(0))).toBe(true);
    expect(isWithinWindow(intent, days(30))).toBe(true);
    expect(isWithinWindow(intent, new Date(days(30).getTime() + 1))).toBe(false);
  });

  it('starts again with the recovery that replaced a failure', () => {
    const changes = { recoveredAt: days(29) };
    const intent = storedIntent(account, 'settled', { now: recordedAt, changes });
    expect(isWithinWindow(intent, days(59))).toBe(true);
    expect(isWithinWindow(intent, new Date(days(59).getTime() + 1))).toBe(false);
  });

  it('is closed while there is no outcome', () => {
    expect(isWithinWindow(storedIntent(account, null), days(0))).toBe(false);
  });
});

describe('effectOf', () => {
  it.each([
    ['settled', 'counts_not_filled'],
    ['expired', 'counts_not_filled'],
    ['failed', 'counts_filled'],
    ['refunded', 'not_counted'],
  ] as const)('%s: %s', (ending, effect) => expect(effectOf(outcomes[ending])).toBe(effect));
});
