import { describe, expect, it } from '@jest/globals';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import {
  assembleAnswer,
  judgeReplies,
  type Reply,
  waitingHelps,
} from '../../../server/features/rates/answer.rules.js';
import type { AskedFor } from '../../../server/features/rates/question.rules.js';
import { offerFromPrice } from '../../../server/features/rates/sep38.rules.js';
import { noRecord } from '../../../server/features/reputation/cards.js';
import { corridorFixture } from '../../fixtures/rates/corridor.js';

const corridor = corridorFixture();

describe('waiting', () => {
  it.each([
    [['timeout'], true, true],
    [['unauthorized', 'circuit_open'], true, true],
    [['unauthorized', 'blocked', 'not_served', 'refused_amount'], true, false],
    [['no_fx'], true, true],
    [['no_fx', 'not_served'], false, false],
    [[], true, false],
  ] as const)('for the reasons %j, with an FX reference: %s, helps: %s', (reasons, hasFx, helps) => {
    expect(waitingHelps(reasons, { hasFx })).toBe(helps);
  });
});

/** The reply of an anchor that takes `sell` for `buy`. */
function replyOf(anchorId: string, sell: string, buy: string, asked: AskedFor): Reply {
  const price = { sell_amount: sell, buy_amount: buy };
  const result = offerFromPrice(price, corridor, { ...asked, deliveryMethod: null }, 'sep6');
  if ('refused' in result) throw new Error(result.refused);
  return { anchorId, anchorName: anchorId, simulated: true, result, at: 0 };
}

it.each([
  [['not_served', 'not_served'], 'nobody_serves'],
  [['not_served', 'refused_amount'], 'all_refused'],
  [['refused_amount', 'not_served', 'timeout'], 'nobody_answers'],
  [['receive_unsupported', 'refused_amount'], 'nobody_answers'],
  [['timeout', null], 'quotes'],
] as const)('the replies %j, where null is a quote, mean together: %s', (reasons, judged) => {
  const quoted = replyOf('a', '100', '500', { amount: '100' });
  const replies = reasons.map((reason): Reply => (reason ? { ...quoted, result: { reason } } : quoted));
  expect(judgeReplies(replies)).toBe(judged);
});

const context = {
  reputationOf: () => noRecord,
  typical: { anchors: 0, fillRate: '0.95', p50SettleSeconds: 600, meanShortfall: '0' },
  market: { reading: { rate: '1541.25', base: 'USD', date: '2026-11-21' }, source: 'test' },
  band: null,
  asOf: 0,
  stale: false,
};

describe('the answer to a question for a payout', () => {
  const asked = { receive: '150000' };

  it.each([
    [asked, { receive: '150000.00', amount: '0', best: null }],
    [{ amount: '100' }, { receive: null, amount: '100', best: null }],
  ])('of %j without a quote has %j', (question, members) => {
    expect(assembleAnswer({ corridor, asked: question, sort: 'best' }, [], context)).toMatchObject(members);
  });

  it('orders anchors that pay in proportion as the question for an amount does', () => {
    // With these rates, payouts and the amounts for them are exact, so that rounding makes no difference.
    const all = ['1200', '1250', '1500', '1600', '1875', '2000', '2400'];
    const sorts = fc.constantFrom('best' as const, 'receive' as const, 'score' as const, 'speed' as const);
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: 2 }), sorts, (rates, sort) => {
        const order = (question: AskedFor, amounts: (rate: string) => [string, string]) => {
          const replies = rates.map((rate) => replyOf(`a${rate}`, ...amounts(rate), question));
          const { best, quotes } = assembleAnswer({ corridor, asked: question, sort }, replies, context);
          return [best, quotes.map(({ anchorId }) => anchorId)];
        };
        const sellOf = (rate: string) => new Decimal(asked.receive).div(rate).toFixed();
        const received = order(asked, (rate) => [sellOf(rate), asked.receive]);
        const paidFor = (rate: string) => new Decimal(rate).mul(100).toFixed();
        expect(received).toEqual(order({ amount: '100' }, (rate) => ['100', paidFor(rate)]));
      }),
    );
  });
});
