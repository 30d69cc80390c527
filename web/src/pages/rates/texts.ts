import type { RatesAnswer } from '@fairlead/contract/client';
import { codeOf } from '../../data/corridors.js';
import type { TextKey } from '../../i18n/translate.js';
import type { Sort } from './order-quotes.js';

export const sortTexts: Readonly<Record<Sort, TextKey>> = {
  best: 'rates.sortBest',
  receive: 'rates.sortReceive',
  score: 'rates.sortScore',
  speed: 'rates.sortSpeed',
};

/** The codes that the amounts of an answer are in. */
export interface Codes {
  stablecoin: string;
  currency: string;
}

export function codesOf({ sellAsset, buyAsset }: Pick<RatesAnswer, 'sellAsset' | 'buyAsset'>): Codes {
  return { stablecoin: codeOf(sellAsset), currency: codeOf(buyAsset) };
}
