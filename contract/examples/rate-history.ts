import type { rateHistoryContract } from '../endpoints/rate-history.js';
import type { ExamplesOf } from './examples-of.js';

export const rateHistoryExamples: ExamplesOf<typeof rateHistoryContract> = {
  getRateHistory: {
    params: { corridor: 'usdc-ngn' },
    query: { day: '2026-11-21', resolution: '1h' },
    answer: {
      corridor: 'usdc-ngn',
      resolution: '1h',
      from: '2026-11-21T00:00:00.000Z',
      to: '2026-11-22T00:00:00.000Z',
      items: [
        {
          at: '2026-11-21T09:00:03.412Z',
          asOf: '2026-11-21T08:59:55.020Z',
          amount: '100',
          best: { anchorId: 'harbour' },
          quotes: [
            {
              anchorId: 'harbour',
              tier: 'anchor',
              sellAmount: '100',
              receiveAmount: '152340.55',
              rate: '1523.4055',
              costPercent: '1.16',
              score: '91.37',
              unranked: null,
            },
          ],
          unavailable: [{ anchorId: 'saltmarsh', reason: 'timeout' }],
        },
      ],
      nextCursor: null,
    },
  },
};
