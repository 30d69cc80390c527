import type { observationsContract } from '../endpoints/observations.js';
import type { ExamplesOf } from './examples-of.js';

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
