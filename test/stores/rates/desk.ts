import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { RatesAnswer } from '../../../contract/rates.js';
import { type SimulatedAnchors, startSimulatedAnchors } from '../../../scripts/simulated-anchors/index.js';
import { testDatabase } from '../../helpers/database.js';
import { type HarnessOptions, type RatesHarness, startRatesHarness } from '../../helpers/rates-harness.js';

export const price = 'GET /sep38/price';
export const ngnAnchors = ['harbour', 'slowboat', 'squall', 'galleon', 'ferry', 'tidewater'];

/** The rates in front of all simulated anchors, afresh for each test. */
export interface RatesDesk {
  /** Epoch milliseconds, for the anchors too. */
  readonly world: { now: number };
  readonly simulated: SimulatedAnchors;
  /** That of the test; the anchors' addresses are known to it, and no call is counted yet. */
  readonly harness: RatesHarness;
  /** Another one on the same database, closed with the test. */
  start(patch?: Partial<HarnessOptions>): Promise<RatesHarness>;
  callsTo(id: string, route?: string): number;
  quoteNgn(request?: { amount?: string; deliveryMethod?: string }): Promise<RatesAnswer>;
  /** Joins the background refresh of an amount, if there is one, and lets it come to its end. */
  refreshed(rates: RatesHarness['rates'], amount?: string): Promise<void>;
}

/** Call it once at the top of a file. */
export function ratesDesk(): RatesDesk {
  const database = testDatabase();
  const world = { now: Date.now() };
  const running: RatesHarness[] = [];
  let simulated: SimulatedAnchors;
  let harness: RatesHarness;

  beforeAll(async () => {
    // Ten minutes into the cycle of tidewater, which is out of service for the first five of every forty.
    world.now += 600_000 - (world.now % 2_400_000);
    simulated = await startSimulatedAnchors({ clock: () => world.now, random: () => 0.5, latencyFactor: 0 });
  });
  afterAll(() => simulated.stop());
  beforeEach(async () => {
    harness = await start();
    await Promise.all(ngnAnchors.map((id) => harness.directory.endpointsOf(id)));
    for (const each of [...simulated.anchors, simulated.fx]) each.resetCalls();
  });
  afterEach(async () => {
    for (const each of running.splice(0)) await each.close();
    for (const each of simulated.anchors) each.override('*', null);
    for (const each of simulated.anchors) each.override(price, null);
  });

  async function start(patch: Partial<HarnessOptions> = {}): Promise<RatesHarness> {
    const { fleet, allow, env, fxUrl } = simulated;
    const started = await startRatesHarness({ uri: database.uri, fleet, allow, env, fxUrl, world, ...patch });
    running.push(started);
    return started;
  }

  return {
    world,
    get simulated() {
      return simulated;
    },
    get harness() {
      return harness;
    },
    start,
    callsTo: (id, route = price) => simulated.anchor(id).calls[route] ?? 0,
    quoteNgn: async (request = {}) => (await harness.rates.quote('usdc-ngn', request)).answer,
    async refreshed(rates, amount) {
      await rates.quote('usdc-ngn', amount === undefined ? {} : { amount }, { maxAgeMs: 10_000 });
    },
  };
}
