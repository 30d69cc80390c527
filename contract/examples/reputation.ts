import type { reputationContract } from '../endpoints/reputation.js';
import type { ExamplesOf } from './examples-of.js';
import { exampleCard, exampleRecord, exampleSigns, recordWith } from './score-card.js';

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
          ...exampleRecord,
          ...exampleSigns,
          scoredCorridors: 1,
        },
        {
          rank: null,
          anchorId: 'tidewater',
          anchorName: 'Tidewater',
          simulated: true,
          ...recordWith({
            outcomes: 3,
            filled: 3,
            accountDays: 3,
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
          ledgerOutcomes: 0,
          anchorOutcomes: 3,
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
      folded: 12,
      foldedElsewhere: false,
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
