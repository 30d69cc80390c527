import type { scoresContract } from '../endpoints/scores.js';
import type { ExamplesOf } from './examples-of.js';
import { exampleCard } from './score-card.js';

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
