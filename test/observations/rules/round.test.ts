import { describe, expect, it } from '@jest/globals';
import type { Check } from '../../../server/features/observations/assess.rules.js';
import {
  changesOf,
  type Finding,
  mergeFindings,
} from '../../../server/features/observations/findings.rules.js';
import {
  callsPerAnchor,
  callsPerRound,
  type Plannable,
  planRound,
  pricesPerAnchor,
} from '../../../server/features/observations/round-plan.rules.js';

const day = 86_400_000;

function anchor(anchorId: string, changes: Partial<Plannable> = {}): Plannable {
  return { anchorId, corridors: ['usdc-ngn'], rounds: 1, observedAtMs: 1_000, tookMs: 100, ...changes };
}

describe('a round', () => {
  it('asks everyone where the budget allows for it, the slow ones last', () => {
    const plan = planRound([anchor('a', { tookMs: 20_000 }), anchor('b'), anchor('c', { tookMs: 5 })]);
    expect(plan.map(({ anchorId }) => anchorId)).toEqual(['c', 'b', 'a']);
  });

  it('never plans more calls than its budget, and asks those first that were asked longest ago', () => {
    const corridors = Array.from({ length: 20 }, (_, index) => `usdc-c${index}`);
    const anchors = Array.from({ length: 300 }, (_, index) =>
      anchor(`a${index}`, { corridors, observedAtMs: index < 250 ? 1_000 : null }),
    );
    const plan = planRound(anchors);
    expect(plan).toHaveLength(callsPerRound / callsPerAnchor);
    expect(plan.filter(({ anchorId }) => Number(anchorId.slice(1)) >= 250)).toHaveLength(50);
    for (const { corridors: asked } of plan) expect(asked).toHaveLength(pricesPerAnchor);
  });

  it('asks for the prices of many corridors by turns, all of them within two rounds for twelve', () => {
    const corridors = Array.from({ length: 12 }, (_, index) => `c${index}`);
    const asked = [3, 4].flatMap(
      (rounds) => planRound([anchor('a', { corridors, rounds })])[0]?.corridors ?? [],
    );
    expect([...asked].sort()).toEqual([...corridors].sort());
  });
});

describe('findings', () => {
  const at = (days: number) => ({ at: new Date(days * day), corridors: ['usdc-ngn'] });
  const check = (detail: string | null, corridor: string | null = null): Check => ({
    id: `slow sep38 ${corridor ?? ''}`,
    code: 'slow',
    service: 'sep38',
    corridor,
    detail,
  });

  it('say since when, and in how many rounds', () => {
    const first = mergeFindings([], [check('2100 ms')], at(1));
    const second = mergeFindings(first, [check('2400 ms')], at(2));
    expect(second).toEqual([
      { ...check('2400 ms'), firstSeenAt: new Date(day), lastSeenAt: new Date(2 * day), rounds: 2 },
    ]);
    expect(changesOf([], first)).toMatchObject({ begun: [{ code: 'slow' }], ended: [] });
    expect(changesOf(first, second)).toEqual({ begun: [], ended: [] });
  });

  it('are gone when a look finds it mended, and stay where nothing looked', () => {
    const before = mergeFindings([], [check('2100 ms')], at(1));
    expect(mergeFindings(before, [], at(2))).toEqual(before);
    expect(mergeFindings(before, [check(null)], at(2))).toEqual([]);
    expect(changesOf(before, [])).toMatchObject({ begun: [], ended: [{ code: 'slow' }] });
  });

  it('are forgotten after 7 days without a look, and with their corridor', () => {
    const before: Finding[] = mergeFindings([], [check('2100 ms', 'usdc-ngn')], at(1));
    expect(mergeFindings(before, [], at(7.9))).toHaveLength(1);
    expect(mergeFindings(before, [], at(8))).toEqual([]);
    expect(mergeFindings(before, [], { at: new Date(2 * day), corridors: [] })).toEqual([]);
  });
});
