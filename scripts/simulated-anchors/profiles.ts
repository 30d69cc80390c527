import { z } from 'zod';
import world from './world.json' with { type: 'json' };

/** Two bounds, both included, in the unit that the field's name says. */
const range = z.tuple([z.number(), z.number()]);
export type Range = readonly [low: number, high: number];

/**
 * How an anchor answers for its prices: `sep38` follows today's standard, `sep38-old` an earlier version behind a
 * token (no total_price, no fee, seven-decimal fiat, HTML errors); the others publish a fee in SEP-24 or SEP-6 `/info`.
 */
export type Protocol = keyof typeof world.protocols;
/** The standards that an anchor offers. */
export const offered = world.protocols;

/**
 * What becomes of a paid withdrawal; anchors wrote the two `refund-old-*` before `refunded` was in the standard. One that
 * vanishes keeps the money and shows the withdrawal as unpaid; one that forgets does not know it any more.
 */
export type Ending = keyof typeof world.endings;

const oneOf = <T extends string>(table: Readonly<Record<T, unknown>>) =>
  z.enum(Object.keys(table) as [T, ...T[]]);

/** How an anchor pays out what it was sent. Seconds are multiplied by the fleet's pace. */
const settlement = z.object({
  /** From payment to `completed`, or to ready for pick-up if the payout is cash. */
  settleSeconds: range,
  /** Relative weights; an ending that is not listed never happens by itself. */
  endings: z.record(oneOf(world.endings), z.number()),
  /** Parts per million by which the payout is less than the price at the start. */
  shortfallPpm: range,
});
export type SettlementProfile = z.infer<typeof settlement>;

/** How an anchor behaves. */
const profile = z.object({
  protocol: oneOf(world.protocols),
  /** Taken off the simulated market rate, in per cent. */
  marginPercent: z.string(),
  feePercent: z.string(),
  /** In units of the stablecoin. */
  feeFixed: z.string(),
  /** Multiplies its quoted prices, but not its payouts; 1 unless it is to make absurd promises. */
  priceFactor: z.string(),
  minAmount: z.string(),
  maxAmount: z.string(),
  /** If set, it sells whole lots of this many stablecoins and rounds the requested amount up to one. */
  lot: z.string().nullable(),
  latencyMs: range,
  /** Shares of the answers, 0 to 1, that fail in this way. */
  faults: z.object({ error500: z.number(), html: z.number(), hang: z.number() }),
  /** Out of service for the first `forSeconds` of every `everySeconds` of the clock. */
  outage: z.object({ everySeconds: z.number(), forSeconds: z.number() }).nullable(),
  settlement,
});
export type Profile = z.infer<typeof profile>;

/**
 * Who each simulated anchor is, what it serves and how it behaves; the README beside this file says what each is like. None
 * of them exists, and none of these figures is a promise of a real one. One that is a `partner` granted the operator
 * a token that reads any transaction (and, in the old version, prices).
 */
export const anchorDefinitions = world.anchors.map(({ id, partner, corridors, ...own }) => ({
  id,
  name: `${id.charAt(0).toUpperCase()}${id.slice(1)} (simulated)`,
  corridors: Object.entries(corridors).map(([id, deliveryMethods]) => ({ id, deliveryMethods })),
  partner,
  profile: profile.parse({ ...world.ordinary, ...own.profile }),
}));
export type AnchorDefinition = (typeof anchorDefinitions)[number];
