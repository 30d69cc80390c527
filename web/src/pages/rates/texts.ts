import type { RatesAnswer, UnavailableReason } from '@fairlead/contract/client';
import { codeOf } from '../../data/corridors.js';
import type { TextKey } from '../../i18n/translate.js';
import type { Sort } from './order-quotes.js';

export const sortTexts: Readonly<Record<Sort, TextKey>> = {
  best: 'rates.sortBest',
  receive: 'rates.sortReceive',
  score: 'rates.sortScore',
  speed: 'rates.sortSpeed',
};

/** Why an anchor has no quote, in plain words. */
export const reasonTexts: Readonly<Record<UnavailableReason, TextKey>> = {
  timeout: 'rates.reasonTimeout',
  unreachable: 'rates.reasonUnreachable',
  blocked: 'rates.reasonBlocked',
  malformed: 'rates.reasonMalformed',
  refused_amount: 'rates.reasonRefusedAmount',
  receive_unsupported: 'rates.reasonReceiveUnsupported',
  busy: 'rates.reasonBusy',
  circuit_open: 'rates.reasonCircuitOpen',
  unauthorized: 'rates.reasonUnauthorized',
  no_fx: 'rates.reasonNoFx',
  not_served: 'rates.reasonNotServed',
  error: 'rates.reasonError',
};

export const unrankedTexts = {
  above_band: 'rates.unrankedAbove',
  below_band: 'rates.unrankedBelow',
} as const satisfies Record<string, TextKey>;

export const costUnavailableTexts = {
  no_reference: 'rates.costNoReference',
  stale_reference: 'rates.costStaleReference',
  no_par: 'rates.costNoPar',
} as const satisfies Record<string, TextKey>;

/** The codes that the amounts of an answer are in. */
export interface Codes {
  stablecoin: string;
  currency: string;
}

export function codesOf({ sellAsset, buyAsset }: Pick<RatesAnswer, 'sellAsset' | 'buyAsset'>): Codes {
  return { stablecoin: codeOf(sellAsset), currency: codeOf(buyAsset) };
}
