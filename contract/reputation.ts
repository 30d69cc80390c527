import { initContract } from '@ts-rest/core';
import { z } from 'zod';
import { anchorStatus } from './anchors.js';
import { anchorId, corridorId, decimalAnswer, instant, page, pageQuery } from './primitives.js';
import { describeRoute } from './route-metadata.js';
import { type ScoreCard, scoreCard } from './score-card.js';

const c = initContract();

const windowDays = z
  .union([z.literal(7), z.literal(30), z.literal(90)])
  .describe('Days the record is taken over, the present UTC day included.');

const windowQuery = z.enum(['7', '30', '90']).optional().describe('7, 30 or 90 days; 30 when absent.');

/** An anchor's record over all its corridors: what the corridors' cards add up to. */
const recordFields = {
  outcomes: z.number().int().min(0).describe('Outcomes that count: filled and not filled.'),
  filled: z.number().int().min(0).describe('Those that were paid out.'),
  accountDays: z
    .number()
    .int()
    .min(0)
    .describe('Distinct triples of account, corridor and UTC day among the outcomes.'),
  fillRate: decimalAnswer
    .nullable()
    .describe('filled / outcomes, six places, rounded down; null without outcomes.'),
  p50SettleSeconds: z.number().int().min(0).nullable().describe('Median time from payment to pay-out.'),
  p95SettleSeconds: z.number().int().min(0).nullable().describe('95th percentile of the same.'),
  meanShortfall: decimalAnswer
    .nullable()
    .describe(
      'Mean share by which pay-outs fell short of the quote, nine places; null without quoted outcomes.',
    ),
  quotedOutcomes: z
    .number()
    .int()
    .min(0)
    .describe("Outcomes that had the anchor's own quote to be held against."),
  acceptedDisputes: z.number().int().min(0).describe('Disputes accepted against these outcomes.'),
  score: decimalAnswer
    .nullable()
    .describe('0.00 to 100.00 with two places; null while there is too little to judge.'),
  state: z
    .enum(['scored', 'insufficient_data'])
    .describe(
      '`insufficient_data` while no corridor has 30 outcomes and 15 account-days; score is then null.',
    ),
};

/** One line of the ranking. */
export const leaderboardEntry = z
  .object({
    rank: z
      .number()
      .int()
      .min(1)
      .nullable()
      .describe('1 is the best; equal scores share a rank; null for an anchor without a score.'),
    anchorId,
    anchorName: z.string().describe('The name people know the anchor by.'),
    simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
    ...recordFields,
    scoredCorridors: z
      .number()
      .int()
      .min(0)
      .describe('How many corridors the score is taken from; 1 or 0 in the ranking of one corridor.'),
  })
  .describe('An anchor in the ranking.');

/** A page of the ranking, and what it was computed from. */
export const leaderboardAnswer = page(leaderboardEntry)
  .extend({
    corridor: corridorId.nullable().describe('The corridor ranked in, or null over all corridors.'),
    window: windowDays,
    computedAt: instant.nullable().describe('When the scores were computed; null before the first time.'),
  })
  .describe('A page of the ranking: best score first, anchors without a score last.');

/** The record of one anchor: over all corridors, and the card of each. */
export const anchorReputation = z
  .object({
    anchorId,
    anchorName: z.string().describe('The name people know the anchor by.'),
    simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
    status: anchorStatus,
    window: windowDays,
    computedAt: instant.nullable().describe('When the scores were computed; null before the first time.'),
    ...recordFields,
    corridors: z
      .array(scoreCard)
      .describe('Its card in each corridor, by corridor id; the score is their outcome-weighted mean.'),
  })
  .describe('The record of one anchor.');

/** One UTC day of an anchor's record, and its score as it stood at the end of that day. */
export const historyPoint = z
  .object({
    day: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/)
      .describe('UTC day on which the outcomes were recorded: `2026-11-21`.'),
    ...recordFields,
    score: decimalAnswer.nullable().describe('The score over the window that ends with this day, or null.'),
    state: z.enum(['scored', 'insufficient_data']).describe('The state over that window.'),
  })
  .describe('The outcomes of one day, and the score over the window that ends with it.');

/** Daily points, newest first; days without an outcome are left out. */
export const reputationHistory = page(historyPoint)
  .extend({
    anchorId,
    corridor: corridorId.nullable().describe('The corridor read, or null over all corridors.'),
    window: windowDays,
  })
  .describe('Daily points of an anchor, newest first.');

/** What a refresh did. */
export const refreshAnswer = z
  .object({
    startedAt: instant.describe('When it began.'),
    computedAt: instant.describe('The moment the cards are as of.'),
    folded: z
      .number()
      .int()
      .min(0)
      .describe('Intents whose change was counted into the roll-ups before the cards were made.'),
    foldedElsewhere: z.boolean().describe('True when another instance was counting at that moment.'),
    anchors: z.number().int().min(0).describe('Anchors that have a record now.'),
    cards: z.number().int().min(0).describe('Cards computed, over all windows.'),
    scored: z.number().int().min(0).describe('Those among them with a score.'),
    durationMs: z.number().int().min(0).describe('How long it took.'),
  })
  .describe('What the refresh did.');

export type LeaderboardEntry = z.infer<typeof leaderboardEntry>;
export type LeaderboardAnswer = z.infer<typeof leaderboardAnswer>;
export type AnchorReputation = z.infer<typeof anchorReputation>;
export type HistoryPoint = z.infer<typeof historyPoint>;
export type ReputationHistory = z.infer<typeof reputationHistory>;
export type RefreshAnswer = z.infer<typeof refreshAnswer>;

const exampleRecord = {
  outcomes: 412,
  filled: 401,
  accountDays: 388,
  fillRate: '0.973300',
  p50SettleSeconds: 91,
  p95SettleSeconds: 233,
  meanShortfall: '0.000120000',
  quotedOutcomes: 401,
  acceptedDisputes: 1,
  score: '85.67',
  state: 'scored',
} as const;

const exampleCard = {
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
  window: 30,
  ...exampleRecord,
  speedTargetSeconds: 600,
  simulated: true,
} satisfies ScoreCard;

const getLeaderboard = describeRoute({
  method: 'GET',
  operationId: 'getLeaderboard',
  tag: 'reputation',
  access: 'public',
  limit: 'default',
  cache: 'etag',
  example: {
    query: { corridor: 'usdc-ngn', window: '30' },
    answer: {
      corridor: 'usdc-ngn',
      window: 30,
      computedAt: '2026-11-21T09:30:00.000Z',
      items: [
        {
          rank: 1,
          anchorId: 'harbour',
          anchorName: 'Harbour',
          simulated: true,
          ...exampleRecord,
          scoredCorridors: 1,
        },
        {
          rank: null,
          anchorId: 'tidewater',
          anchorName: 'Tidewater',
          simulated: true,
          outcomes: 3,
          filled: 3,
          accountDays: 3,
          fillRate: '1.000000',
          p50SettleSeconds: 312,
          p95SettleSeconds: 405,
          meanShortfall: null,
          quotedOutcomes: 0,
          acceptedDisputes: 0,
          score: null,
          state: 'insufficient_data',
          scoredCorridors: 0,
        },
      ],
      nextCursor: null,
    } satisfies LeaderboardAnswer,
  },
});

const getReputation = describeRoute({
  method: 'GET',
  operationId: 'getReputation',
  tag: 'reputation',
  access: 'public',
  limit: 'default',
  cache: 'etag',
  errors: ['UNKNOWN_ANCHOR'],
  example: {
    params: { anchor: 'harbour' },
    query: { window: '30' },
    answer: {
      anchorId: 'harbour',
      anchorName: 'Harbour',
      simulated: true,
      status: 'active',
      window: 30,
      computedAt: '2026-11-21T09:30:00.000Z',
      ...exampleRecord,
      corridors: [exampleCard],
    } satisfies AnchorReputation,
  },
});

const getReputationHistory = describeRoute({
  method: 'GET',
  operationId: 'getReputationHistory',
  tag: 'reputation',
  access: 'public',
  limit: 'default',
  cache: 'etag',
  errors: ['UNKNOWN_ANCHOR'],
  example: {
    params: { anchor: 'harbour' },
    query: { corridor: 'usdc-ngn', limit: '1' },
    answer: {
      anchorId: 'harbour',
      corridor: 'usdc-ngn',
      window: 30,
      items: [
        {
          day: '2026-11-21',
          outcomes: 14,
          filled: 14,
          accountDays: 13,
          fillRate: '1.000000',
          p50SettleSeconds: 87,
          p95SettleSeconds: 140,
          meanShortfall: '0.000000000',
          quotedOutcomes: 14,
          acceptedDisputes: 0,
          score: '85.67',
          state: 'scored',
        },
      ],
      nextCursor: 'eyJkIjoiMjAyNi0xMS0yMSJ9',
    } satisfies ReputationHistory,
  },
});

const refreshReputation = describeRoute({
  method: 'POST',
  operationId: 'refreshReputation',
  tag: 'reputation',
  access: 'internal',
  limit: 'default',
  cache: 'no-store',
  errors: ['RUN_IN_PROGRESS'],
  example: {
    answer: {
      startedAt: '2026-11-21T09:29:59.600Z',
      computedAt: '2026-11-21T09:30:00.000Z',
      folded: 12,
      foldedElsewhere: false,
      anchors: 8,
      cards: 111,
      scored: 96,
      durationMs: 412,
    } satisfies RefreshAnswer,
  },
});

/** The fixed paths come before `/api/reputation/:anchor`: the router matches in this order. */
export const reputationContract = c.router(
  {
    getLeaderboard: {
      method: getLeaderboard.method,
      path: '/api/reputation/leaderboard',
      summary: 'Rank the anchors',
      description:
        'The anchors of the fleet by score, best first; those without a score come last with `rank: null`. Over all ' +
        "corridors an anchor's score is the outcome-weighted mean over its scored corridors; with `corridor` it is " +
        'the one of its card there. Pages of one answer belong together while its scores are kept.',
      query: z
        .object({
          corridor: corridorId.optional().describe('Rank in this corridor only.'),
          window: windowQuery,
          ...pageQuery,
        })
        .strict(),
      responses: { 200: leaderboardAnswer, ...getLeaderboard.errors },
      metadata: getLeaderboard.metadata,
    },
    refreshReputation: {
      method: refreshReputation.method,
      path: '/api/reputation/refresh',
      summary: 'Compute the scores anew',
      description:
        'Counts what has changed since the last time into the roll-ups, then computes every card, score and ranking ' +
        'from them. Answers 200 with what it did; the body may be empty or absent.',
      query: z.object({}).strict(),
      body: z.object({}).strict().optional().describe('Nothing, or an empty object.'),
      responses: { 200: refreshAnswer, ...refreshReputation.errors },
      metadata: refreshReputation.metadata,
    },
    getReputation: {
      method: getReputation.method,
      path: '/api/reputation/:anchor',
      summary: "Read one anchor's reputation",
      description:
        "The anchor's record over all its corridors and its card in each. A delisted anchor stays readable; one that " +
        'nobody used yet has a record of zeros and no score.',
      pathParams: z.object({ anchor: anchorId }),
      query: z.object({ window: windowQuery }).strict(),
      responses: { 200: anchorReputation, ...getReputation.errors },
      metadata: getReputation.metadata,
    },
    getReputationHistory: {
      method: getReputationHistory.method,
      path: '/api/reputation/:anchor/history',
      summary: "Read one anchor's reputation day by day",
      description:
        'One point for each UTC day on which an outcome was recorded, newest first: the outcomes of that day, and the ' +
        'score over the window that ends with it.',
      pathParams: z.object({ anchor: anchorId }),
      query: z
        .object({
          corridor: corridorId.optional().describe('Only this corridor; all of them together when absent.'),
          window: windowQuery,
          ...pageQuery,
        })
        .strict(),
      responses: { 200: reputationHistory, ...getReputationHistory.errors },
      metadata: getReputationHistory.metadata,
    },
  },
  { strictStatusCodes: true },
);
