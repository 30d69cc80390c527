import { describe, expect, it } from '@jest/globals';
import {
  allKinds,
  electsOf,
  killsOf,
  type PlanOptions,
  planFaults,
} from '../../scripts/faults/plan.rules.js';

const asked: PlanOptions = { seed: 17, elections: 20, kills: 100 };
const kindsOf = (options: PlanOptions) =>
  Object.values(planFaults(options))
    .flat()
    .map(({ kind }) => kind);

describe('the plan of a storm', () => {
  it('is the same for the same seed and another for another', () => {
    expect(planFaults(asked)).toEqual(planFaults(asked));
    expect(planFaults({ ...asked, seed: 18 })).not.toEqual(planFaults(asked));
  });

  it.each([1, 2, 3, 4, 5])(
    'has more elections and kills than asked for, and every kind of fault, by seed %d',
    (seed) => {
      const kinds = kindsOf({ ...asked, seed });
      expect(kinds.filter(electsOf).length).toBeGreaterThan(asked.elections);
      expect(kinds.filter(killsOf).length).toBeGreaterThan(asked.kills);
      expect(new Set(kinds)).toEqual(new Set(allKinds));
    },
  );

  it('has every kind of fault even where no election and no kill is asked for', () => {
    expect(new Set(kindsOf({ seed: 1, elections: 0, kills: 0 }))).toEqual(new Set(allKinds));
  });

  it('has only the faults that were named', () => {
    const only = ['step-down', 'kill-instance'] as const;
    const kinds = kindsOf({ ...asked, only });
    expect(new Set(kinds)).toEqual(new Set(only));
    expect(kinds.filter(electsOf).length).toBeGreaterThan(asked.elections);
    expect(kinds.filter(killsOf).length).toBeGreaterThan(asked.kills);
  });

  it('leaves out what cannot be done here', () => {
    const kinds = kindsOf({ ...asked, without: ['fill-disk', 'exhaust-files'] });
    expect(kinds).not.toContain('fill-disk');
    expect(new Set(kinds).size).toBe(allKinds.length - 2);
  });
});
