import type { reputationContract, scoresContract } from '../endpoints/reputation.js';
import { type CardSigns, type CardVerification, cardRecord, type ScoreCard } from '../schemas/score-card.js';
import type { ExamplesOf } from './examples-of.js';

/** An anchor's record as the documents show it. */
export const exampleRecord = {
  outcomes: 412,
  filled: 401,
  accountDays: 388,
  days90: 88,
  fillRate: '0.973300',
  p50SettleSeconds: 91,
  p95SettleSeconds: 233,
  meanShortfall: '0.000120000',
  quotedOutcomes: 401,
  acceptedDisputes: 1,
  score: '85.67',
  state: 'scored',
} as const;

const exampleVerification = { ledgerOutcomes: 412, anchorOutcomes: 0, timesWithheld: 3 };

/** The same as a card; its score follows from its inputs. */
export const exampleCard = {
  anchorId: 'harbour',
  corridor: 'usdc-ngn',
  window: 30,
  formula: 'v1',
  evidence: 'ledger',
  ...exampleRecord,
  speedTargetSeconds: 600,
  ...exampleVerification,
  simulated: true,
} satisfies ScoreCard;

/** What is shown beside the card. */
export const exampleSigns = {
  timesKnown: 398,
  accounts: 371,
  newAccountShare: '0.274272',
  largestAccountShare: '0.009709',
  busiestDayShare: '0.050971',
  ...exampleVerification,
} as const satisfies CardSigns & CardVerification;

type ExampleRecord = Pick<ScoreCard, keyof typeof cardRecord | 'score' | 'state'>;

/** A record for an example, its members in the order of the card; what is not given is zero. */
export function recordWith(given: Partial<ExampleRecord>): ExampleRecord {
  const zeros = Object.fromEntries(Object.keys(cardRecord).map((member) => [member, 0]));
  return { ...zeros, score: null, state: 'insufficient_data', ...given } as ExampleRecord;
}

export const reputationExamples: ExamplesOf<typeof reputationContract> = {
  getLeaderboard: {
    query: { corridor: 'usdc-ngn', window: '30' },
    answer: {
      corridor: 'usdc-ngn',
      window: 30,
      formula: 'v1',
      standsStillSince: null,
      computedAt: '2026-11-21T09:30:00.000Z',
      items: [
        {
          rank: 1,
          anchorId: 'harbour',
          anchorName: 'Harbour',
          simulated: true,
          evidence: 'ledger',
          ...exampleRecord,
          ...exampleSigns,
          scoredCorridors: 1,
        },
        {
          rank: null,
          anchorId: 'tidewater',
          anchorName: 'Tidewater',
          simulated: true,
          evidence: 'ledger',
          ...recordWith({
            outcomes: 3,
            filled: 3,
            accountDays: 3,
            days90: 2,
            fillRate: '1.000000',
            p50SettleSeconds: 312,
            p95SettleSeconds: 405,
            meanShortfall: null,
          }),
          timesKnown: 3,
          accounts: 3,
          newAccountShare: '0.333334',
          largestAccountShare: '0.333334',
          busiestDayShare: '0.666667',
          ledgerOutcomes: 3,
          anchorOutcomes: 0,
          timesWithheld: 0,
          scoredCorridors: 0,
        },
      ],
      nextCursor: null,
    },
  },
  refreshReputation: {
    answer: {
      startedAt: '2026-11-21T09:29:59.600Z',
      computedAt: '2026-11-21T09:30:00.000Z',
      days: 9,
      more: false,
      anchors: 8,
      cards: 111,
      scored: 96,
      durationMs: 412,
    },
  },
  getReputation: {
    params: { anchor: 'harbour' },
    query: { window: '30' },
    answer: {
      anchorId: 'harbour',
      anchorName: 'Harbour',
      simulated: true,
      status: 'active',
      window: 30,
      formula: 'v1',
      standsStillSince: null,
      computedAt: '2026-11-21T09:30:00.000Z',
      evidence: 'ledger',
      ...exampleRecord,
      ...exampleSigns,
      corridors: [{ ...exampleCard, ...exampleSigns }],
    },
  },
  getReputationHistory: {
    params: { anchor: 'harbour' },
    query: { corridor: 'usdc-ngn', limit: '1' },
    answer: {
      anchorId: 'harbour',
      corridor: 'usdc-ngn',
      window: 30,
      formula: 'v1',
      items: [
        {
          day: '2026-11-21',
          ...recordWith({
            outcomes: 14,
            filled: 14,
            accountDays: 13,
            days90: 88,
            fillRate: '1.000000',
            p50SettleSeconds: 87,
            p95SettleSeconds: 140,
            meanShortfall: '0.000000000',
            quotedOutcomes: 14,
            score: '85.67',
            state: 'scored',
          }),
        },
      ],
      nextCursor: 'eyJkIjoiMjAyNi0xMS0yMSJ9',
    },
  },
};

export const scoresExamples: ExamplesOf<typeof scoresContract> = {
  getPublicScores: {
    query: { limit: '50' },
    answer: {
      version: '1',
      formula: 'v1',
      standsStillSince: null,
      window: 30,
      generatedAt: '2026-11-21T09:30:00.000Z',
      batch: {
        sequence: 17,
        root: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
      },
      items: [exampleCard],
      nextCursor: null,
    },
  },
};
