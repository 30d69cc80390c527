import { z } from 'zod';
import { anchorStatus } from './anchors.js';
import { anchorId, corridorId, decimalAnswer, instant, page } from './primitives.js';
import {
  cardEvidence,
  cardRecord,
  cardSigns,
  cardWithSigns,
  formulaMembers,
  scoreCard,
} from './score-card.js';

const windowDays = z
  .union([z.literal(7), z.literal(30), z.literal(90)])
  .describe('Days the record is taken over, the present UTC day included.');

const { accountDays: _inOneCorridor, ...sums } = cardRecord;

/** An anchor's record over all its corridors: what the corridors' cards add up to. */
const recordFields = {
  ...sums,
  score: scoreCard.shape.score,
  accountDays: z
    .number()
    .int()
    .min(0)
    .describe('Distinct triples of account, corridor and UTC day among the outcomes.'),
  state: z
    .enum(['scored', 'insufficient_data'])
    .describe(
      '`insufficient_data` while no corridor has 30 outcomes, 15 account-days and 7 days with outcomes; score is then null.',
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
    evidence: cardEvidence,
    ...recordFields,
    ...cardSigns,
    scoredCorridors: z
      .number()
      .int()
      .min(0)
      .describe('How many corridors the score is taken from; 1 or 0 in the ranking of one corridor.'),
  })
  .describe('An anchor in the ranking.');
export type LeaderboardEntry = z.infer<typeof leaderboardEntry>;

/** A page of the ranking, and what it was computed from. */
export const leaderboardAnswer = page(leaderboardEntry)
  .extend({
    corridor: corridorId.nullable().describe('The corridor of the ranking, or null over all corridors.'),
    window: windowDays,
    ...formulaMembers,
    computedAt: instant.nullable().describe('When the scores were computed; null before the first time.'),
  })
  .describe('A page of the ranking: best score first, anchors without a score last.');
export type LeaderboardAnswer = z.infer<typeof leaderboardAnswer>;

/** The record of one anchor: over all corridors, and the card of each. */
export const anchorReputation = z
  .object({
    anchorId,
    anchorName: z.string().describe('The name people know the anchor by.'),
    simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
    status: anchorStatus,
    window: windowDays,
    ...formulaMembers,
    computedAt: instant.nullable().describe('When the scores were computed; null before the first time.'),
    evidence: cardEvidence,
    ...recordFields,
    ...cardSigns,
    corridors: z
      .array(cardWithSigns)
      .describe('Its card in each corridor, by corridor id; the score is their outcome-weighted mean.'),
  })
  .describe('The record of one anchor.');
export type AnchorReputation = z.infer<typeof anchorReputation>;

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
export type HistoryPoint = z.infer<typeof historyPoint>;

/** Daily points, newest first; days without an outcome are left out. */
export const reputationHistory = page(historyPoint)
  .extend({
    anchorId,
    corridor: corridorId.nullable().describe('The corridor of the points, or null over all corridors.'),
    window: windowDays,
    formula: formulaMembers.formula,
  })
  .describe('Daily points of an anchor, newest first.');
export type ReputationHistory = z.infer<typeof reputationHistory>;

/** What a refresh did. */
export const refreshAnswer = z
  .object({
    startedAt: instant.describe('When it began.'),
    computedAt: instant.describe('The instant for which the cards were computed.'),
    days: z
      .number()
      .int()
      .min(0)
      .describe('Days of an anchor and corridor that were counted anew before the cards were computed.'),
    more: z.boolean().describe('True when days are left for the next run.'),
    anchors: z.number().int().min(0).describe('Anchors that have a record now.'),
    cards: z.number().int().min(0).describe('Cards computed, over all windows.'),
    scored: z.number().int().min(0).describe('Cards among them that have a score.'),
    durationMs: z.number().int().min(0).describe('How long it took.'),
  })
  .describe('What the refresh did.');
export type RefreshAnswer = z.infer<typeof refreshAnswer>;

/** The entries of the latest batch; where nothing is published, the cards of window 30. */
export const publicScores = page(scoreCard)
  .extend({
    version: z.enum(['1']).describe('Version of this answer.'),
    ...formulaMembers,
    standsStillSince: instant
      .nullable()
      .describe('Since when these scores wait for a ledger or the oracle, or null.'),
    window: z.literal(30).describe('Days the cards are taken over.'),
    generatedAt: instant
      .nullable()
      .describe(
        'When the batch was made, or without one, when the cards were computed; null before the first time.',
      ),
    batch: z
      .object({
        sequence: z.number().int().min(1).describe('Number of the batch.'),
        root: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .describe('Merkle root over its entries.'),
      })
      .nullable()
      .describe('The batch whose entries these are, over all pages; null where nothing is published.'),
  })
  .describe('Public scores: every card of window 30, by anchor and corridor.');
export type PublicScores = z.infer<typeof publicScores>;
