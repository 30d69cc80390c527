import { z } from 'zod';
import { buyAssetId, deliveryMethod, sellAssetId } from './corridors.js';
import {
  anchorId,
  corridorId,
  decimalAnswer,
  enumOfMeanings,
  instant,
  mayGrow,
  payoutAmount,
  signedDecimalAnswer,
  stablecoinAmount,
} from './primitives.js';
import { cardRecord } from './score-card.js';

/** `anchor`: the anchor's own SEP-38 price. `estimate`: its published fee applied to a reference exchange rate. */
export const quoteTier = z
  .enum(['anchor', 'estimate'])
  .describe(
    "`anchor`: the anchor's own indicative SEP-38 price. `estimate`: computed from the fee it publishes " +
      '(SEP-24 or SEP-6 /info) and a reference exchange rate. Neither is firm.',
  );
export type QuoteTier = z.infer<typeof quoteTier>;

/** `scored` once there are enough outcomes to judge by, else `insufficient_data` with a null score. */
export const reputationState = z
  .enum(['scored', 'insufficient_data'])
  .describe('`insufficient_data` while there are too few outcomes to judge by; the score is then null.');
export type ReputationState = z.infer<typeof reputationState>;

/** The orders that quotes can be listed in. Each is complete: it also orders equal quotes. */
export const quoteSorts = {
  best:
    "The first is the one a person would choose: the anchors' own prices before estimates, exact amounts before " +
    'adjusted ones, then the most `worth` for each unit sold, then the most `expectedReceive`, then by anchor id.',
  receive:
    'The highest promise first: as `best`, but by `receiveAmount` for each unit sold, and by `best` among equals.',
  score: 'The highest score first, anchors with too few outcomes to be judged last, by `best` among equals.',
  speed:
    'The least `p50SettleSeconds` first, then the least `p95SettleSeconds`; anchors with too few outcomes to be ' +
    'judged last; by `best` among equals.',
} as const;

export const quoteSort = enumOfMeanings(quoteSorts);
export type QuoteSort = z.infer<typeof quoteSort>;

/** Why an anchor of the corridor has no quote in the answer, and when exactly each reason is given. */
export const unavailableReasons = {
  timeout: 'It did not answer within 2 seconds.',
  unreachable: 'No connection to it could be made.',
  blocked: 'Its address is one that this service must not call.',
  malformed:
    'Its answer was not a valid price for this pair, was too large, or its numbers contradict each other beyond rounding.',
  refused_amount:
    'It does not quote this amount, or would take an amount outside the limits of the corridor for it.',
  receive_unsupported: 'It quotes only for an amount to sell, not for a given payout (`receive`).',
  busy: 'Its share of calls is used up for the moment, and no recent quote for this amount is stored.',
  circuit_open: 'It failed repeatedly just now and is not asked for a moment.',
  unauthorized: 'It demands a token that this service does not hold.',
  no_fx: 'Only an estimate is possible, and the reference exchange rate is missing or too old.',
  not_served: 'It does not offer this delivery method, or publishes no price or fee for the pair.',
  error: 'It answered with an error of its own.',
} as const;

export const unavailableReason = mayGrow(enumOfMeanings(unavailableReasons));
export type UnavailableReason = z.infer<typeof unavailableReason>;

/** Why a quote has no cost, and when exactly each reason is given. */
const costUnavailableReasons = {
  no_reference:
    'There is no reference exchange rate, it cannot be read, or it lacks a currency of the corridor.',
  stale_reference: 'The reference exchange rate is too old, or dated more than a day ahead.',
  no_par: 'No currency is known that the stablecoin could be taken at par with.',
} as const;

export type CostUnavailable = keyof typeof costUnavailableReasons;

/** Why a quote is listed but not ranked. */
const unrankedReasons = {
  above_band: 'Its rate is above the `high` of the band: more than anyone can be expected to pay.',
  below_band: 'Its rate is below the `low` of the band: hardly anything is paid out.',
} as const;

export const unrankedReason = mayGrow(enumOfMeanings(unrankedReasons));
export type UnrankedReason = z.infer<typeof unrankedReason>;

const band = z
  .object({
    basis: z
      .enum(['median', 'reference'])
      .describe(
        "`median`: the median of at least three anchors' own prices. `reference`: the reference exchange rate, where " +
          'fewer anchors give one.',
      ),
    anchors: z
      .number()
      .int()
      .min(0)
      .describe("How many anchors' own prices the median is taken over; 0 for `reference`."),
    factor: decimalAnswer.describe("The corridor's factor, a setting of the operator."),
    low: decimalAnswer.describe('The lowest rate that is ranked: the middle divided by the factor.'),
    high: decimalAnswer.describe('The highest rate that is ranked: the middle times the factor.'),
  })
  .describe(
    'The rates, in fiat per one stablecoin with all fees included, within which quotes are ranked (docs/rates.md).',
  );

const cost = z
  .object({
    percent: signedDecimalAnswer.describe(
      'Fee and exchange-rate margin together, in per cent of the amount sold, with two places. Below zero ' +
        'where the anchor pays more than the reference rate.',
    ),
    amount: signedDecimalAnswer.describe('The same in stablecoin, to seven places.'),
    reference: z
      .object({
        rate: decimalAnswer.describe('Fiat per one stablecoin, which is taken at par with its currency.'),
        source: z.string().describe('The name of the reference, as the operator gives it.'),
        date: z.string().describe('The date the reference gives its rates.'),
      })
      .describe('The mid-market exchange rate that the quote is compared with.'),
  })
  .describe('The price of the quote against the mid-market, all fees included (docs/rates.md).');

const money = z
  .object({
    total: decimalAnswer.describe('The whole fee.'),
    asset: z.string().describe('The asset it is in: the stablecoin or the currency of the corridor.'),
  })
  .describe('The fee, which the amounts already include.');

/** What the anchor answered, in SEP-38's own direction: stablecoin per one unit of fiat. */
const sep38Source = z
  .object({
    price: decimalAnswer.nullable().describe('SEP-38 `price`: stablecoin per unit of fiat, without the fee.'),
    totalPrice: decimalAnswer
      .nullable()
      .describe('SEP-38 `total_price`: stablecoin per unit of fiat, fee included; null in older dialects.'),
    sellAmount: decimalAnswer.describe('`sell_amount` as the anchor gave it.'),
    buyAmount: decimalAnswer.describe('`buy_amount` as the anchor gave it, before rounding down.'),
    context: z.enum(['sep6', 'sep31']).describe('The `context` it was asked in.'),
  })
  .describe("The anchor's SEP-38 answer. Its prices run the other way round: stablecoin per unit of fiat.");

/** The inputs of an estimate, so that anyone can compute it again. */
const estimateSource = z
  .object({
    source: z.enum(['sep24', 'sep6']).describe('Whose /info gave the fee.'),
    feeFixed: decimalAnswer.describe('Fixed fee, in stablecoin.'),
    feePercent: decimalAnswer.describe('Fee in percentage points of the amount: `1` is one per cent.'),
    feeMinimum: decimalAnswer.describe('Least fee, in stablecoin.'),
    fxRate: decimalAnswer.describe('Fiat per one unit of `fxBase`, from the reference.'),
    fxBase: z.string().describe("The reference's base currency; the stablecoin is taken at par with it."),
    fxDate: z.string().describe('The date the reference gives its rates.'),
  })
  .describe('The inputs of the estimate: (amount − fee) × fxRate, rounded down.');

/** One anchor's offer. Never firm: the anchor's own flow confirms what it will pay. */
export const rateQuote = z
  .object({
    anchorId,
    anchorName: z.string().describe('The name people know the anchor by.'),
    simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
    tier: quoteTier,
    sellAmount: decimalAnswer.describe(
      'Stablecoin given; may differ from the amount asked for. For `receive`: what the payout takes at this anchor.',
    ),
    receiveAmount: decimalAnswer.describe(
      "Fiat received for it, all fees included, rounded down to the currency's minor units and written with all of them.",
    ),
    adjusted: z
      .boolean()
      .describe(
        'Whether the anchor answered for another amount than the one asked for, to sell or to receive.',
      ),
    rate: decimalAnswer.describe('Fiat per one stablecoin, all fees included: receiveAmount / sellAmount.'),
    fee: money.nullable().describe('The fee inside the amounts, or null where the anchor does not say.'),
    deliveryMethod: z.string().nullable().describe('The delivery method quoted for, or null for any.'),
    quotedAt: instant.describe('When the anchor answered.'),
    sep38: sep38Source.nullable().describe("The anchor's SEP-38 answer; null for an estimate."),
    estimate: estimateSource.nullable().describe("An estimate's inputs; null for a quote of the anchor."),
    reputation: z
      .object({
        score: decimalAnswer.nullable().describe('Score from 0 to 100 with two places, or null.'),
        state: reputationState,
        outcomes: z.number().int().min(0).describe('Outcomes in the record.'),
        fillRate: decimalAnswer
          .nullable()
          .describe('Share of the outcomes that were paid out, from 0 to 1; null without outcomes.'),
        p50SettleSeconds: cardRecord.p50SettleSeconds.describe(
          'Typical payout time: the median from payment to payout; null where none is known.',
        ),
        p95SettleSeconds: cardRecord.p95SettleSeconds.describe(
          'Slow payout time: one payout in twenty takes longer; null where none is known.',
        ),
        meanShortfall: decimalAnswer
          .nullable()
          .describe('Mean share by which payouts fell short of the quotes; null without quoted outcomes.'),
      })
      .describe("The anchor's record in this corridor, of the last 30 days."),
    cost: cost.nullable().describe('What the quote costs, or null where no reference rate can be used.'),
    costUnavailable: mayGrow(enumOfMeanings(costUnavailableReasons))
      .nullable()
      .describe(
        `Why there is no cost; null where there is one. ${enumOfMeanings(costUnavailableReasons).description}`,
      ),
    expectedReceive: decimalAnswer.describe(
      'Fiat to expect: receiveAmount less the mean shortfall, rounded down. An anchor with fewer than 30 outcomes ' +
        "is expected to fall short as the corridor's typical one does, in proportion to the missing outcomes.",
    ),
    unranked: unrankedReason
      .nullable()
      .describe(
        `Why the quote is listed after all ranked ones in every order, and never the best; null where it is ranked. ${unrankedReason.description}`,
      ),
    worth: decimalAnswer.describe(
      'The figure that `best` compares: expectedReceive less what failed withdrawals and waiting cost a person according ' +
        'to the record, in fiat, rounded down. It is not a payout (docs/rates.md).',
    ),
  })
  .describe("One anchor's offer; indicative, never firm.");
export type RateQuote = z.infer<typeof rateQuote>;

/** The record that is assumed for the outcomes that an anchor lacks. */
const typicalRecord = z
  .object({
    anchors: z
      .number()
      .int()
      .min(0)
      .describe(
        'How many scored anchors of the corridor the record is the median of; with 0, it is assumed.',
      ),
    fillRate: decimalAnswer.describe('Share of withdrawals that are paid out, from 0 to 1.'),
    p50SettleSeconds: z.number().int().min(0).describe('Typical payout time.'),
    meanShortfall: decimalAnswer.describe('Mean share by which payouts fall short of quotes.'),
  })
  .describe(
    'The typical record of the corridor, which stands in for the outcomes that an anchor with fewer than 30 lacks.',
  );

/** The ranked offers of one corridor for one amount. */
export const ratesAnswer = z
  .object({
    corridor: corridorId,
    sellAsset: sellAssetId,
    buyAsset: buyAssetId,
    amount: decimalAnswer.describe(
      'The stablecoin amount asked for, or the reference amount. For `receive`: what the best quote takes for the ' +
        'payout, or 0 where there is no best quote.',
    ),
    receive: decimalAnswer
      .nullable()
      .describe('The payout asked for by `receive`, in fiat; null where an amount to sell was asked for.'),
    asOf: instant.describe('When the oldest of these quotes was fetched.'),
    stale: z.boolean().describe('True when a quote here is older than 15 s.'),
    best: z
      .object({ anchorId })
      .nullable()
      .describe(
        'The anchor a person would choose: the first by `sort=best`, whatever order is asked for. Null when no ' +
          'anchor serves this delivery method, and when no quote is ranked.',
      ),
    typical: typicalRecord,
    band: band
      .nullable()
      .describe(
        'The rates within which quotes are ranked. Null, with every quote ranked, where fewer than three anchors give a ' +
          'price and no reference exchange rate is usable.',
      ),
    quotes: z
      .array(rateQuote)
      .describe(
        'In the order of `sort`, or the best first when it is absent. Quotes that are not ranked come last.',
      ),
    unavailable: z
      .array(z.object({ anchorId, reason: unavailableReason }))
      .describe('The anchors of the corridor without a quote, and why.'),
  })
  .describe('Ranked offers for one corridor and amount.');
export type RatesAnswer = z.infer<typeof ratesAnswer>;

/** The query of a rates request; every member may be left out. */
export const ratesQuery = z
  .object({
    amount: stablecoinAmount
      .optional()
      .describe(
        "Stablecoin to sell: a decimal string, at most 7 places. The corridor's reference amount when absent.",
      ),
    receive: payoutAmount
      .optional()
      .describe(
        'Fiat to receive, instead of `amount`: each quote then says how much stablecoin it takes. A decimal ' +
          'string with at most as many places as the currency has.',
      ),
    deliveryMethod: deliveryMethod.optional(),
    sort: quoteSort
      .optional()
      .describe(`The order of the quotes; \`best\` when absent. ${quoteSort.description}`),
  })
  .strict();
export type RatesQuery = z.infer<typeof ratesQuery>;
