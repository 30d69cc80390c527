import { describe, expect, it } from '@jest/globals';
import { fiatAmount, minorUnitsOfAsset } from '../../../server/amounts.rules.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { toAnswer } from '../../../server/features/intents/intent-answer.rules.js';
import { storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { account, startMs } from '../../fixtures/intents/intent-states.js';

const quote = {
  tier: 'anchor',
  sellAmount: '100',
  receiveAmount: '152340.5',
  rate: '1523.405',
  adjusted: false,
  unranked: null,
  quotedAt: new Date(startMs),
} as const;

const standing = { counts: 'filled', uncountedReason: null } as const;
const answerOf = (intent: Intent) =>
  toAnswer(intent, { dispute: null, standing, publicUrl: 'https://fairlead.example' });

function inCurrency(currency: string, changes: Partial<Intent>): Intent {
  const intent = storedIntent(account, 'settled', { now: startMs });
  return {
    ...intent,
    corridorTerms: { ...intent.corridorTerms, buyAsset: `iso4217:${currency}` },
    ...changes,
  };
}

describe('amounts of fiat', () => {
  it.each([
    ['152150.4', 'NGN', '152150.40'],
    ['152150', 'NGN', '152150.00'],
    ['152150.405', 'NGN', '152150.405'],
    ['370000', 'UGX', '370000'],
    ['30.7', 'KWD', '30.700'],
    ['123456789012345678901.5', 'NGN', '123456789012345678901.50'],
  ])('%s %s is written as %s', (amount, currency, expected) => {
    expect(fiatAmount(amount, minorUnitsOfAsset(`iso4217:${currency}`))).toBe(expected);
  });

  it('of an intent that was stored without its minor units are answered with them', () => {
    const { outcome } = storedIntent(account, 'settled', { now: startMs });
    if (outcome === null) throw new Error('no outcome');
    const intent = inCurrency('NGN', {
      quote,
      minReceive: '150000',
      outcome: { ...outcome, amountOut: '152000.5' },
    });
    expect(answerOf(intent)).toMatchObject({
      minReceive: '150000.00',
      quote: { sellAmount: '100', receiveAmount: '152340.50', rate: '1523.405' },
      outcome: { amountOut: '152000.50' },
    });
  });
});
