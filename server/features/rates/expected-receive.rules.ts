import { Decimal } from 'decimal.js';
import { fiatAmount } from '../../amounts.rules.js';
import { Money, roundPayout } from './money.rules.js';

/** receiveAmount less the mean shortfall (a share, `0.0012`), rounded down; unchanged if there is no record. */
export function expectedReceive(
  receiveAmount: string,
  meanShortfall: string | null,
  decimals: number,
): string {
  if (meanShortfall === null) return fiatAmount(receiveAmount, decimals);
  const share = Decimal.max(0, new Money(1).sub(meanShortfall));
  return fiatAmount(roundPayout(new Money(receiveAmount).mul(share), decimals), decimals);
}
