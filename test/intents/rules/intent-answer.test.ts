import { describe, expect, it } from '@jest/globals';
import { fiatAmount, minorUnitsOfAsset } from '../../../server/amounts.rules.js';
import type { Intent } from '../../../server/features/intents/intent.js';
import { toAnswer } from '../../../server/features/intents/intent-answer.rules.js';
import { storedIntent } from '../../fixtures/disputes/dispute-values.js';
import { account, day, freshState, minute, see, startMs } from '../../fixtures/intents/intent-states.js';

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

describe('the amount paid out', () => {
  const paid = { status: 'pending_external', stellar_transaction_id: 'ab', amount_in: '100' };
  const done = { ...paid, status: 'completed', amount_out: '150000' };
  const funded = see(freshState(), [0, {}], [minute, paid]);

  it('is that of the completed record', () => {
    expect(see(funded, [2 * minute, done]).outcome).toMatchObject({ kind: 'settled', amountOut: '150000' });
  });

  it('is unknown where the record names another asset than that of the corridor', () => {
    const foreign = see(funded, [2 * minute, { ...done, amount_out_asset: 'iso4217:USD' }]);
    expect(foreign.outcome).toMatchObject({ kind: 'settled', amountOut: null });
  });

  it('is null for a failure, and known once the failure was made good', () => {
    const failed = see(funded, [2 * minute, { ...paid, status: 'refunded' }]);
    expect(failed.outcome).toMatchObject({ kind: 'failed', amountOut: null });
    const broken = see(
      funded,
      [2 * minute, { ...paid, status: 'error' }],
      [2 * minute + day, { ...paid, status: 'error' }],
    );
    expect(see(broken, [3 * day, done]).outcome).toMatchObject({ reason: 'recovered', amountOut: '150000' });
  });

  it('is null for an outcome that was recorded before it was kept', () => {
    expect(answerOf(inCurrency('NGN', {})).outcome).toMatchObject({ status: 'settled', amountOut: null });
  });
});
