import type { anchorsContract } from '../endpoints/anchors.js';
import type { AnchorSummary } from '../schemas/anchors.js';
import type { ExamplesOf } from './examples-of.js';

const exampleSummary = {
  id: 'harbour',
  name: 'Harbour',
  note: null,
  status: 'active',
  simulated: true,
  homeDomain: 'harbour.example',
  corridors: [{ corridor: 'usdc-ngn', deliveryMethods: ['bank_account'] }],
  onboardedAt: '2026-11-21T09:00:00.000Z',
  delistedAt: null,
} satisfies AnchorSummary;

export const anchorsExamples: ExamplesOf<typeof anchorsContract> = {
  listAnchors: {
    query: { corridor: 'usdc-ngn', limit: '50' },
    answer: { items: [exampleSummary], nextCursor: null },
  },
  getAnchor: {
    params: { anchor: 'harbour' },
    answer: {
      ...exampleSummary,
      signingKey: 'GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L',
      endpoints: {
        quoteServer: 'https://harbour.example/sep38',
        transferServerSep24: 'https://harbour.example/sep24',
        transferServerSep6: null,
        webAuthEndpoint: 'https://harbour.example/auth',
      },
      discovery: { state: 'fresh', fetchedAt: '2026-11-21T09:25:00.000Z', reason: null },
      unreadable: [
        {
          document: 'info',
          what: 'sep24: withdraw.USDC.fee_percent is no number',
          at: '2026-11-21T09:25:00.000Z',
        },
      ],
      contradictedPayments: 0,
      start: [
        {
          corridor: 'usdc-ngn',
          protocol: 'sep24',
          method: 'POST',
          url: 'https://harbour.example/sep24/transactions/withdraw/interactive',
          assetCode: 'USDC',
          assetIssuer: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
          destinationAsset: 'iso4217:NGN',
          webAuthEndpoint: 'https://harbour.example/auth',
        },
      ],
    },
  },
};
