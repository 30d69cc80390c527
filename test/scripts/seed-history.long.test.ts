import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seedHistory } from '../../scripts/seed-history.js';
import { corridorsOf } from '../../scripts/simulated-anchors/fleet-file.js';
import { anchorDefinitions } from '../../scripts/simulated-anchors/profiles.js';
import { anchor } from '../fixtures/reputation/fleet-view.js';
import {
  type FeatureFixture,
  openFeature,
  openReputationParts,
  type ReputationParts,
  totals,
} from '../fixtures/reputation/reputation-parts.js';
import { noon } from '../fixtures/reputation/stored-outcomes.js';
import { testDatabase } from '../support/database.js';

const { uri } = testDatabase();
/** Three are enough for an order, and few enough for a busy machine to count all their days twice. */
const definitions = anchorDefinitions.slice(0, 3);
const fleet = {
  simulated: true,
  corridors: corridorsOf(definitions),
  anchors: definitions.map(({ id, name, corridors }) => ({
    id,
    name,
    simulated: true,
    corridors: corridors.map((each) => ({ id: each.id, deliveryMethods: [...each.deliveryMethods] })),
  })),
};
const clock = () => noon.getTime();
let fixture: ReputationParts;

beforeAll(async () => {
  fixture = await openReputationParts(uri);
});
afterAll(() => fixture.close());

/** Random numbers that are the same in every run. */
function chances(): () => number {
  let seed = 42;
  return () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
}

const ledger = { isAway: async () => false };
let feature: FeatureFixture;

async function refreshed() {
  const anchors = fleet.anchors.map(({ id, corridors }) =>
    anchor(
      id,
      corridors.map((each) => each.id),
    ),
  );
  const speedTargets = Object.fromEntries(
    fleet.corridors.map(({ id, speedTargetSeconds }) => [id, speedTargetSeconds]),
  );
  feature = openFeature(fixture, { fleet: { anchors, speedTargets }, now: clock, ledger });
  return feature.service.refreshNow();
}

const seed = (changes: object = {}) =>
  seedHistory({ connection: fixture.connection, fleet, clock, random: chances(), ...changes });

describe('seedHistory', () => {
  it('writes nothing for a fleet that is not simulated, or only partly', async () => {
    expect(await seed({ fleet: { ...fleet, simulated: false } })).toBe(0);
    const { simulated: _unset, ...unmarked } = fleet;
    expect(await seed({ fleet: unmarked })).toBe(0);
    const [first, ...others] = fleet.anchors;
    expect(await seed({ fleet: { ...fleet, anchors: [{ ...first, simulated: false }, ...others] } })).toBe(0);
    expect(await fixture.stored.intents.countDocuments()).toBe(0);
  });

  it('writes 90 days of intents once, and the roll-ups that the service would count of them', async () => {
    const written = await seed();
    const pairs = fleet.anchors.reduce((sum, { corridors }) => sum + corridors.length, 0);
    expect(written).toBeGreaterThan(60 * pairs);
    expect(written).toBeLessThan(400 * pairs);
    expect(await seed()).toBe(0);
    expect(await fixture.stored.intents.countDocuments()).toBe(written);
    const rollups = () => fixture.stored.rollups.find().sort({ _id: 1 }).toArray();
    const before = await rollups();
    expect(before.reduce((sum, { filled, notFilled }) => sum + filled + notFilled, 0)).toBeGreaterThan(
      0.85 * written,
    );
    await fixture.markEveryDay();
    while ((await refreshed()).more);
    expect(await rollups()).toEqual(before);
    expect(await totals(fixture)).toMatchObject({ anchorOutcomes: 0 });
    const early = { 'outcome.recordedAt': { $lt: new Date(clock() - 90 * 86_400_000) } };
    expect(await fixture.stored.intents.countDocuments(early as never)).toBe(0);
    const late = { 'outcome.recordedAt': { $gt: noon } };
    expect(await fixture.stored.intents.countDocuments(late as never)).toBe(0);
  });

  it('produces a leaderboard with every anchor scored and the steady before the flaky', async () => {
    await refreshed();
    const { items } = await feature.service.getLeaderboard({
      corridor: null,
      window: 30,
      limit: undefined,
      cursor: undefined,
    });
    expect(items).toHaveLength(3);
    expect(items.every(({ state, simulated }) => state === 'scored' && simulated)).toBe(true);
    const rankOf = (id: string) => items.find(({ anchorId }) => anchorId === id)?.rank ?? 0;
    expect(rankOf('harbour')).toBeLessThan(rankOf('squall'));
    expect(rankOf('harbour')).toBeLessThan(rankOf('slowboat'));
  });
});
