import type { CorridorAnswer } from '@fairlead/contract/client';
import { useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useViewPart } from '../../data/use-view-part.js';
import { sorts } from './order-quotes.js';
import { type AmountRange, readTypedAmount } from './typed-amount.js';
import type { Asked } from './use-board.js';

/** The reader's view as the address describes it, and the functions that change it. */
export type RatesView = ReturnType<typeof useRatesView>;

/** The decimal places of every amount on Stellar. */
export const stablecoinDecimals = 7;

/** The names of the parts are those of the API, so that `/rates/usdc-ngn?amount=50` reads like a request. */
export function useRatesView(corridor: CorridorAnswer) {
  const { route } = useLocation();
  const [amount, setAmount] = useViewPart('amount', '');
  const [receive, setReceive] = useViewPart('receive', '');
  const [method, chooseMethod] = useViewPart('deliveryMethod', '');
  const [sort, chooseSort] = useViewPart('sort', 'best');
  const amountBefore = useRef('');
  const { min, max, referenceAmount, payoutDecimals } = corridor;
  const sold = amountOf(amount, { decimals: stablecoinDecimals, min, max });
  const payout = amountOf(receive, { decimals: payoutDecimals });
  /** The question to the board, without an amount that the service would refuse. */
  const asked: Asked = {
    ...(payout === undefined && sold !== undefined && sold !== referenceAmount && { amount: sold }),
    ...(payout !== undefined && { receive: payout }),
    ...(corridor.deliveryMethods.includes(method) && { deliveryMethod: method }),
  };
  return {
    asked,
    /** The amount in the address, valid or not. */
    amount,
    sort: sorts.find((each) => each === sort) ?? 'best',
    /** The amount of the opposite direction before the reader reversed it. */
    amountBefore: amountBefore.current,
    askToSell(next: string) {
      setReceive('');
      setAmount(next);
    },
    askToReceive(next: string) {
      if (receive === '') amountBefore.current = amount;
      setAmount('');
      setReceive(next);
    },
    chooseMethod,
    chooseSort,
    goTo(id: string) {
      const parts = new URLSearchParams(location.search);
      // An amount in another currency, or the method of another country, has no meaning here.
      for (const part of ['receive', 'deliveryMethod']) parts.delete(part);
      const search = parts.toString();
      route(`/rates/${id}${search && `?${search}`}`);
    },
  };
}

/** The address's amount in the form that the service accepts; undefined if the service would refuse it. */
function amountOf(text: string, range: Omit<AmountRange, 'mark'>): string | undefined {
  const read = readTypedAmount(text, { ...range, mark: '.' });
  return read.kind === 'amount' ? read.amount : undefined;
}
