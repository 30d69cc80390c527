import type { snapshotContract } from '../endpoints/corridors.js';
import type { rateHistoryContract, ratesContract } from '../endpoints/rates.js';
import type { RatesAnswer } from '../schemas/rates.js';
import type { ExamplesOf } from './examples-of.js';

/** An anchor's record and what its quote costs, in the examples of rates and of the snapshot. */
export const exampleRecord = {
  score: '91.37',
  state: 'scored' as const,
  outcomes: 412,
  fillRate: '0.987864',
  p50SettleSeconds: 43,
  p95SettleSeconds: 118,
  meanShortfall: '0.001200000',
};
export const exampleCost = {
  percent: '1.16',
  amount: '1.157794',
  reference: { rate: '1541.25', source: 'simulated market', date: '2026-11-21' },
};

const exampleRates = {
  corridor: 'usdc-ngn',
  sellAsset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
  buyAsset: 'iso4217:NGN',
  amount: '100',
  receive: null,
  asOf: '2026-11-21T09:30:00.000Z',
  stale: false,
  best: { anchorId: 'harbour' },
  typical: {
    anchors: 1,
    fillRate: '0.987864',
    p50SettleSeconds: 43,
    meanShortfall: '0.001200000',
  },
  band: { basis: 'reference', anchors: 0, factor: '4', low: '385.3125', high: '6165' },
  quotes: [
    {
      anchorId: 'harbour',
      anchorName: 'Harbour',
      simulated: true,
      tier: 'anchor',
      sellAmount: '100',
      receiveAmount: '152340.55',
      adjusted: false,
      rate: '1523.4055',
      fee: {
        total: '1.5',
        asset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
      },
      deliveryMethod: 'bank_account',
      quotedAt: '2026-11-21T09:30:00.000Z',
      sep38: {
        price: '0.0006465776',
        totalPrice: '0.000656424',
        sellAmount: '100',
        buyAmount: '152340.55',
        context: 'sep6',
      },
      estimate: null,
      reputation: exampleRecord,
      cost: exampleCost,
      costUnavailable: null,
      expectedReceive: '152157.74',
      unranked: null,
      worth: '151382.39',
    },
    {
      anchorId: 'tidewater',
      anchorName: 'Tidewater',
      simulated: true,
      tier: 'estimate',
      sellAmount: '100',
      receiveAmount: '150271.87',
      adjusted: false,
      rate: '1502.7187',
      fee: {
        total: '2.5',
        asset: 'stellar:USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
      },
      deliveryMethod: null,
      quotedAt: '2026-11-21T09:30:00.000Z',
      sep38: null,
      estimate: {
        source: 'sep24',
        feeFixed: '0.5',
        feePercent: '2',
        feeMinimum: '0',
        fxRate: '1541.25',
        fxBase: 'USD',
        fxDate: '2026-11-21',
      },
      reputation: {
        score: null,
        state: 'insufficient_data',
        outcomes: 3,
        fillRate: '1.000000',
        p50SettleSeconds: 210,
        p95SettleSeconds: 240,
        meanShortfall: null,
      },
      cost: {
        percent: '2.50',
        amount: '2.5000032',
        reference: { rate: '1541.25', source: 'simulated market', date: '2026-11-21' },
      },
      costUnavailable: null,
      expectedReceive: '150091.54',
      unranked: null,
      worth: '149221.54',
    },
  ],
  unavailable: [{ anchorId: 'saltmarsh', reason: 'timeout' }],
} satisfies RatesAnswer;

export const ratesExamples: ExamplesOf<typeof ratesContract> = {
  getRates: { params: { corridor: 'usdc-ngn' }, query: { amount: '100' }, answer: exampleRates },
  stream: { params: { corridor: 'usdc-ngn' }, query: { amount: '100' }, answer: exampleRates },
};

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
