import { z } from 'zod';

const millis = z.number().int().nonnegative();

/** What an anchor keeps of one withdrawal; as JSON in the state file. Amounts are decimal strings. */
export const withdrawalSchema = z.object({
  id: z.string(),
  protocol: z.enum(['sep24', 'sep6']),
  kind: z.enum(['withdrawal', 'withdrawal-exchange']),
  /** The account whose token started it: the one that may read it. */
  owner: z.string(),
  /** The account that pays. */
  from: z.string(),
  sellAsset: z.string(),
  buyAsset: z.string(),
  deliveryMethod: z.string(),
  quoteId: z.string().nullable(),
  /** The instant whose price holds for it: that of its firm quote, or of its start. */
  pricedMs: millis,
  status: z.string(),
  message: z.string().nullable(),
  startedMs: millis,
  updatedMs: millis,
  completedMs: millis.nullable(),
  /** What the wallet said it would send, until the payment says what it did. */
  amountIn: z.string().nullable(),
  amountOut: z.string().nullable(),
  fee: z.string().nullable(),
  stellarTransactionId: z.string().nullable(),
  refund: z
    .object({ way: z.enum(['refunds', 'flag']), amount: z.string(), stellarTransactionId: z.string() })
    .nullable(),
  callbackUrl: z.string().nullable(),
  ending: z.string().nullable(),
  shortfallPpm: z.number().int().nonnegative(),
  /** What is still to come, in order of time. */
  steps: z.array(
    z.object({
      atMs: millis,
      status: z.string(),
      effect: z.enum(['pay-out', 'refund', 'refund-old']).optional(),
      message: z.string().optional(),
    }),
  ),
  /** Fields that a test put over the record as it is shown. */
  amended: z.record(z.unknown()),
});

export type Withdrawal = z.infer<typeof withdrawalSchema>;
