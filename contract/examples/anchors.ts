import type { anchorsContract } from '../endpoints/anchors.js';
import type { corridorsContract } from '../endpoints/corridors.js';
import type { observationsContract } from '../endpoints/observations.js';
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

const noFailures = { timeout: 0, unreachable: 0, blocked: 0, not_json: 0, malformed: 0, error: 0 };

export const observationsExamples: ExamplesOf<typeof observationsContract> = {
  getObservations: {
    params: { anchor: 'harbour' },
    query: { window: '30' },
    answer: {
      anchorId: 'harbour',
      anchorName: 'Harbour',
      simulated: true,
      status: 'active',
      window: 30,
      firstObservedAt: '2026-11-20T09:00:00.000Z',
      lastObservedAt: '2026-11-21T09:30:00.000Z',
      services: [
        {
          service: 'sep1',
          observations: 294,
          availability: '0.9966',
          availabilityUnavailable: null,
          latencyMs: { p50: 46, p95: 120 },
          latencyUnavailable: null,
          failures: { ...noFailures, timeout: 1 },
          latest: { at: '2026-11-21T09:30:00.000Z', outcome: 'answered', latencyMs: 44 },
        },
      ],
      corridors: [
        {
          corridor: 'usdc-ngn',
          observations: 294,
          availability: '1.0000',
          availabilityUnavailable: null,
          latencyMs: { p50: 51, p95: 133 },
          latencyUnavailable: null,
          lastQuote: {
            at: '2026-11-21T09:30:00.000Z',
            tier: 'anchor',
            rate: '1516.4',
            costPercent: '0.94',
          },
          fromMidMarket: {
            tier: 'anchor',
            quotes: 294,
            meanPercent: '0.95',
            p50Percent: '0.9',
            p95Percent: '1.1',
          },
          fromMidMarketUnavailable: null,
        },
      ],
    },
  },
  observeAnchors: {
    body: {},
    answer: {
      startedAt: '2026-11-21T09:30:00.000Z',
      anchors: 8,
      calls: 61,
      durationMs: 412,
    },
  },
};
