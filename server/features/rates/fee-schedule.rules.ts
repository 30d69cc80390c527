import { z } from 'zod';
import { plainDecimal } from '../../amounts.rules.js';
import { Money } from './money.rules.js';

/** What an anchor charges for a withdrawal, in stablecoin, with normalised decimals. */
export interface FeeSchedule {
  source: 'sep24' | 'sep6';
  feeFixed: string;
  /** Percentage points: `1` is one per cent. */
  feePercent: string;
  feeMinimum: string;
  min: string | null;
  max: string | null;
}

// Numbers in the standard; some anchors write decimal strings. Bounds keep exponents and infinities out.
const amount = z
  .union([z.number().finite().min(0).max(1e15), z.string().regex(/^\d{1,15}(\.\d{1,20})?$/)])
  .transform((value) => plainDecimal(new Money(value)));

const withdrawal = z.object({
  enabled: z.boolean().optional(),
  fee_fixed: amount.nullish(),
  fee_percent: amount.nullish(),
  fee_minimum: amount.nullish(),
  min_amount: amount.nullish(),
  max_amount: amount.nullish(),
});

const info = z.object({ withdraw: z.record(z.string(), z.unknown()) });

export type FeeReading =
  | { kind: 'schedule'; schedule: FeeSchedule }
  /** No withdrawal of this asset, or no fee published: nothing to compute an estimate from. */
  | { kind: 'none' }
  | { kind: 'malformed' };

/** Reads GET /info of SEP-24 or SEP-6 for one asset code. */
export function readFeeSchedule(json: unknown, assetCode: string, source: 'sep24' | 'sep6'): FeeReading {
  const parsed = info.safeParse(json);
  if (!parsed.success) return { kind: 'malformed' };
  const entry = Object.entries(parsed.data.withdraw).find(([code]) => code === assetCode);
  if (entry === undefined) return { kind: 'none' };
  const terms = withdrawal.safeParse(entry[1]);
  if (!terms.success) return { kind: 'malformed' };
  const { enabled, fee_fixed, fee_percent, fee_minimum, min_amount, max_amount } = terms.data;
  // Both absent means "no fee or a complex one" (SEP-24 §Info): unknown, so there is no estimate.
  if (enabled === false || ((fee_fixed ?? null) === null && (fee_percent ?? null) === null)) {
    return { kind: 'none' };
  }
  return {
    kind: 'schedule',
    schedule: {
      source,
      feeFixed: fee_fixed ?? '0',
      feePercent: fee_percent ?? '0',
      feeMinimum: fee_minimum ?? '0',
      min: min_amount ?? null,
      max: max_amount ?? null,
    },
  };
}
