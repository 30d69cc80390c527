import type { RateQuote, UnavailableReason } from '@fairlead/contract/client';

const unavailable = {
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
} as const satisfies Record<UnavailableReason, string>;

const unranked = {
  above_band: 'rates.unrankedAbove',
  below_band: 'rates.unrankedBelow',
} as const satisfies Record<NonNullable<RateQuote['unranked']>, string>;

const costUnavailable = {
  no_reference: 'rates.costNoReference',
  stale_reference: 'rates.costStaleReference',
  no_par: 'rates.costNoPar',
} as const satisfies Record<NonNullable<RateQuote['costUnavailable']>, string>;

const all = { ...unavailable, ...unranked, ...costUnavailable };
export type Reason = keyof typeof all;

/**
 * The name of the text of a reason: why an anchor has no quote, a quote no rank, or a quote no cost. Undefined for a reason
 * that the service knows and this page does not yet (docs/operations/deploy.md).
 */
export function reasonKey(reason: Reason): (typeof all)[Reason] | undefined {
  return all[reason];
}
