import { describe, expect, it } from '@jest/globals';
import { createTrueEffects } from '../../../server/features/reputation/true-effects.js';
import { aggregatable, expired, settled } from '../../fixtures/reputation/aggregatable-intents.js';
import { insertIntents, openFeature } from '../../fixtures/reputation/aggregation-fixture.js';
import { reputationFixture } from '../../fixtures/reputation/reputation-fixture.js';

const fixture = reputationFixture();

/** The store, with a rebuild that replaces the roll-ups just before or just after the first read of this kind. */
function replacedAt(name: 'listDaysWithOutcomes' | 'readAccountDays', when: 'before' | 'after') {
  const { store, rebuild } = fixture.aggregation;
  let isFirst = true;
  const replaced = async <T>(read: () => Promise<T>): Promise<T> => {
    if (!isFirst) return read();
    isFirst = false;
    if (when === 'before') await rebuild({ adopt: true });
    const found = await read();
    if (when === 'after') await rebuild({ adopt: true });
    return found;
  };
  const { rollups } = store;
  const read = rollups[name] as (...args: unknown[]) => Promise<never>;
  return { ...store, rollups: { ...rollups, [name]: (...args: unknown[]) => replaced(() => read(...args)) } };
}

describe('while a rebuild replaces the roll-ups', () => {
  it.each(['before', 'after'] as const)(
    'a history that is read lacks no day and no outcome (replaced %s its days are listed)',
    async (when) => {
      await fixture.outcomes('harbour', 'usdc-ngn', 20, { daysAgo: 4 });
      await fixture.outcomes('harbour', 'usdc-ngn', 1);
      await fixture.feature.service.refreshNow();
      const feature = openFeature(
        { ...fixture.aggregation, store: replacedAt('listDaysWithOutcomes', when) },
        { fleet: fixture.fleet, now: () => fixture.world.now },
      );
      const page = { limit: undefined, cursor: undefined };
      const query = { anchorId: 'harbour', corridor: 'usdc-ngn', window: 7, ...page } as const;
      const { items } = await feature.service.getHistory(query);
      expect(items.map(({ day, outcomes }) => [day, outcomes])).toEqual([
        ['2026-11-21', 1],
        ['2026-11-17', 20],
      ]);
    },
  );

  it('the effect of a verdict is read with the places of the account that are taken', async () => {
    await insertIntents(fixture.aggregation, 3, () => ({ outcome: settled() }));
    await fixture.feature.aggregate();
    const { intents } = fixture.aggregation;
    const effects = createTrueEffects({ store: replacedAt('readAccountDays', 'before'), intents });
    const intent = aggregatable({ outcome: expired(), pendingAggregation: false });
    expect(await effects([{ intent, effect: 'counts_not_filled' }])).toEqual(['nothing']);
  });
});
