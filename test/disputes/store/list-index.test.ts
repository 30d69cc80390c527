import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DisputesFixture, openDisputes } from '../../fixtures/disputes/disputes-fixture.js';
import { testDatabase } from '../../support/database.js';

const database = testDatabase();
let one: DisputesFixture;
beforeAll(async () => {
  one = await openDisputes(database.uri);
});
afterAll(() => one.close());

/** The stages of the database's plan for this filter. */
async function stagesOf(filter: object): Promise<string[]> {
  const { queryPlanner } = await one.disputes
    .find(filter)
    .sort({ _id: -1 })
    .limit(51)
    .explain('queryPlanner');
  return [...JSON.stringify(queryPlanner.winningPlan).matchAll(/"stage":"(\w+)"/g)].map(
    ([, name = '']) => name,
  );
}

describe('each part of the list of disputes', () => {
  it.each([
    ['all', {}],
    ['of a status', { status: 'open' }],
    ['of an anchor', { anchorId: 'harbour' }],
    ['of a status and an anchor', { status: 'open', anchorId: 'harbour' }],
  ])('%s is read in its order by an index', async (_which, filter) => {
    for (const unsupported of [true, false]) {
      const stages = await stagesOf({ ...filter, unsupported });
      expect(stages).toContain('IXSCAN');
      expect(stages).not.toContain('SORT');
    }
  });
});
