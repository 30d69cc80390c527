import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { formulasHold } from '../../../server/features/rates/sep38.rules.js';

interface Vector {
  name: string;
  decimals: number;
  answer: {
    total_price?: string;
    price?: string;
    sell_amount: string;
    buy_amount: string;
    fee?: { total: string; asset: 'SELL' | 'BUY' };
  };
}

const vectors: Record<'holds' | 'contradicts', Vector[]> = JSON.parse(
  readFileSync(new URL('../../vectors/sep38-formulas.json', import.meta.url), 'utf8'),
);

function holds({ answer, decimals }: Vector): boolean {
  const { total_price, price, sell_amount, buy_amount, fee } = answer;
  return formulasHold(
    {
      totalPrice: total_price,
      price,
      sellAmount: sell_amount,
      buyAmount: buy_amount,
      fee: fee && { total: fee.total, side: fee.asset === 'SELL' ? 'sell' : 'buy' },
    },
    decimals,
  );
}

describe('the formulas of SEP-38', () => {
  it.each(vectors.holds)('hold within rounding: $name', (vector) => {
    expect(holds(vector)).toBe(true);
  });

  it.each(vectors.contradicts)('do not hold beyond rounding: $name', (vector) => {
    expect(holds(vector)).toBe(false);
  });
});
