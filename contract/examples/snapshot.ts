import type { snapshotContract } from '../endpoints/snapshot.js';
import type { ExamplesOf } from './examples-of.js';
import { exampleCost, exampleRecord } from './rates.js';

export const snapshotExamples: ExamplesOf<typeof snapshotContract> = {
  getSnapshot: {
    answer: {
      asOf: '2026-11-21T09:30:00.000Z',
      corridors: [
        {
          corridor: 'usdc-ngn',
          sellAsset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
          buyAsset: 'iso4217:NGN',
          amount: '100',
          best: {
            anchorId: 'harbour',
            anchorName: 'Harbour',
            simulated: true,
            tier: 'anchor',
            sellAmount: '100',
            receiveAmount: '152340.55',
            rate: '1523.4055',
            quotedAt: '2026-11-21T09:29:58.120Z',
            reputation: exampleRecord,
            cost: exampleCost,
            costUnavailable: null,
            expectedReceive: '152157.74',
            worth: '151382.39',
          },
          asOf: '2026-11-21T09:29:58.120Z',
        },
      ],
    },
  },
};
