import { createChanges } from '../../../server/cache/changes.js';
import { type Fleet, parseFleet } from '../../../server/features/anchors/fleet-file.rules.js';
import { noEndpoints } from '../../../server/features/anchors/sep1.rules.js';
import { createRatesFeature } from '../../../server/features/rates/feature.js';
import type { Rates } from '../../../server/features/rates/service.js';
import { silentLogger } from '../../../server/logger.js';
import type { Outbound } from '../../../server/outbound/outbound.js';
import { corridors } from '../../simulated-anchors/corridors.js';

const record = {
  score: '91.27',
  state: 'scored',
  outcomes: 1_200,
  fillRate: '0.981666',
  p50SettleSeconds: 44,
  p95SettleSeconds: 130,
  meanShortfall: '0.001200000',
} as const;

export interface RatesFixture {
  rates: Rates;
  fleet: Fleet;
  /** Moves its clock forward. */
  pass(ms: number): void;
}

/**
 * The rates service alone, with anchors in all corridors that answer at once and in memory: only our own work is
 * measured. Its clock stands still unless `pass` moves it, so that nothing gets stale.
 */
export function ratesOverInstantAnchors(anchorCount: number): RatesFixture {
  const fleet = parseFleet(JSON.stringify({ corridors, anchors: anchorsFor(anchorCount) }));
  let nowMs = Date.UTC(2026, 0, 1);
  const outbound: Outbound = async ({ url }) => {
    const body = priceFor(new URL(url));
    const json: unknown = JSON.parse(body.toString('utf8'));
    return { status: 200, headers: {}, body, json, elapsedMs: 0, truncated: false };
  };
  const changes = createChanges();
  const rates = createRatesFeature({
    announce: changes.announce,
    changes,
    streams: { open: async () => undefined },
    onSkipped: () => undefined,
    directory: {
      anchors: () => fleet.anchors,
      corridor: (id) => fleet.corridors.find((corridor) => corridor.id === id),
      anchorsOf: () => fleet.anchors,
      servingVersion: () => 0,
      anchor: (id) => fleet.anchors.find((anchor) => anchor.id === id),
      endpointsOf: async (id) => ({
        ...noEndpoints,
        quoteServer: `https://${id}.example/sep38`,
        transferServerSep6: `https://${id}.example/sep6`,
      }),
      tokenFor: () => undefined,
    },
    outbound,
    fxOutbound: outbound,
    fxUrl: undefined,
    fxSource: undefined,
    fxMaxAgeMs: 0,
    cacheVersions: { read: () => 0, onInvalidate: () => undefined },
    publicCache: false,
    findSampleAsOf: async () => null,
    limiter: {
      consume: async () => ({ limit: 1, remaining: 1, resetSeconds: 0, retryAfterSeconds: undefined }),
    },
    meter: { expects: () => undefined, asked: () => undefined },
    reputationOf: () => record,
    clock: () => nowMs,
    random: Math.random,
    logger: silentLogger,
  });
  return {
    rates,
    fleet,
    pass(ms) {
      nowMs += ms;
    },
  };
}

function anchorsFor(count: number) {
  const served = corridors.map(({ id }) => ({ id, deliveryMethods: ['bank_account'] }));
  return Array.from({ length: count }, (_, place) => ({
    id: `anchor-${place}`,
    name: `Anchor number ${place}`,
    homeDomain: `anchor-${place}.example`,
    corridors: served,
  }));
}

/** A different rate for each anchor, in an order that requires sorting; fees in SEP-38 form. */
function priceFor(url: URL): Buffer {
  const sell = Number(url.searchParams.get('sell_amount'));
  const place = Number(/\d+/.exec(url.hostname)?.[0] ?? 0);
  const rate = 1_500 + ((place * 37) % 101) / 10;
  const buy = Math.floor(sell * rate);
  return Buffer.from(
    JSON.stringify({
      total_price: (sell / buy).toFixed(12),
      price: ((sell - 0.5) / buy).toFixed(12),
      sell_amount: String(sell),
      buy_amount: String(buy),
      fee: { total: '0.5', asset: url.searchParams.get('sell_asset') },
    }),
  );
}
