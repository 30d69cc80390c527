import type { corridorsContract } from '../endpoints/corridors.js';
import type { ExamplesOf } from './examples-of.js';

export const corridorsExamples: ExamplesOf<typeof corridorsContract> = {
  listCorridors: {
    query: { limit: '50' },
    answer: {
      items: [
        {
          id: 'usdc-ngn',
          sellAsset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
          buyAsset: 'iso4217:NGN',
          country: 'NG',
          referenceAmount: '100',
          min: '10',
          max: '10000',
          payoutDecimals: 2,
          speedTargetSeconds: 300,
          overdueAfterSeconds: 86400,
          deliveryMethods: ['bank_account', 'cash'],
          anchors: [
            { id: 'harbour', name: 'Harbour', simulated: true, deliveryMethods: ['bank_account'] },
            {
              id: 'tidewater',
              name: 'Tidewater',
              simulated: true,
              deliveryMethods: ['bank_account', 'cash'],
            },
          ],
        },
      ],
      nextCursor: null,
    },
  },
};
