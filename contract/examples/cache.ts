import type { adminCacheContract } from '../endpoints/cache.js';
import type { ExamplesOf } from './examples-of.js';

export const adminCacheExamples: ExamplesOf<typeof adminCacheContract> = {
  invalidateCache: {
    body: { scope: 'rates', corridor: 'usdc-ngn' },
    answer: {
      scope: 'rates',
      corridor: 'usdc-ngn',
      epoch: 4,
      droppedEntries: 12,
      invalidatedAt: '2026-11-21T09:30:00.000Z',
    },
  },
};
