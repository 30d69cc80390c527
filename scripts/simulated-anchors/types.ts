/** One or two bounds, both included, in the unit the field's name says. */
export type Range = readonly [low: number, high: number];

/**
 * How an anchor answers for its prices: `sep38` as the standard has it today, `sep38-old` an earlier dialect behind
 * a token (no total_price, no fee, seven-decimal fiat, HTML errors), or only a fee in its SEP-24 or SEP-6 `/info`.
 */
export type Protocol = 'sep38' | 'sep38-old' | 'fee-sep24' | 'fee-sep6';

/** What becomes of a paid withdrawal; the two `refund-old-*` are how anchors wrote a refund before `refunded`. */
export type Ending =
  | 'complete'
  | 'refund'
  | 'refund-old-error'
  | 'refund-old-completed'
  | 'fail'
  | 'recover'
  | 'hold'
  | 'stuck';

/** How an anchor pays out what it was sent. Seconds are multiplied by the fleet's pace. */
export interface SettlementTemper {
  /** From payment to `completed`, or for cash to ready for pick-up. */
  settleSeconds: Range;
  /** Relative weights; an ending not named never happens by itself. */
  endings: Partial<Record<Ending, number>>;
  /** Parts per million by which the payout falls short of the price at the start. */
  shortfallPpm: Range;
}

/** How an anchor behaves. `scripts/simulated-anchors/tempers.ts` holds one for each. */
export interface Temper {
  protocol: Protocol;
  /** Taken off the simulated market rate, in per cent. */
  marginPercent: string;
  feePercent: string;
  /** In units of the stablecoin. */
  feeFixed: string;
  minAmount: string;
  maxAmount: string;
  /** Where set, it sells whole lots of this many stablecoins and rounds the asked amount up to one. */
  lot: string | null;
  latencyMs: Range;
  /** Shares of the answers, 0 to 1, that fail in this way. */
  faults: { error500: number; html: number; hang: number };
  /** Out of service for the first `forSeconds` of every `everySeconds` of the clock. */
  outage: { everySeconds: number; forSeconds: number } | null;
  settlement: SettlementTemper;
}

/** One simulated anchor: who it is, what it serves, how it behaves. */
export interface AnchorDefinition {
  id: string;
  name: string;
  corridors: readonly { id: string; deliveryMethods: readonly string[] }[];
  /** True: it gave the operator a token that reads any transaction (and, in the old dialect, prices). */
  partner: boolean;
  /** False: the fleet file gives its addresses, as for an anchor that publishes no stellar.toml. */
  discoverable: boolean;
  temper: Temper;
}
