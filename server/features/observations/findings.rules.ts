import type { Check } from './assess.rules.js';

/** A problem of an anchor that is not resolved yet. */
export interface Finding extends Check {
  detail: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
  rounds: number;
}

/** A finding that could not be checked again for this long is dropped. */
const forgottenAfterMs = 7 * 86_400_000;

/**
 * The findings after a round. A finding whose check passed is removed; one that could not be checked stays unchanged,
 * unless the anchor no longer serves its corridor.
 */
export function mergeFindings(
  before: readonly Finding[],
  checks: readonly Check[],
  { at, corridors }: { at: Date; corridors: readonly string[] },
): Finding[] {
  const checked = new Set(checks.map(({ id }) => id));
  const kept = before.filter(
    ({ id, corridor, lastSeenAt }) =>
      !checked.has(id) &&
      (corridor === null || corridors.includes(corridor)) &&
      at.getTime() - lastSeenAt.getTime() < forgottenAfterMs,
  );
  const seen = checks.flatMap((check) => {
    if (check.detail === null) return [];
    const known = before.find(({ id }) => id === check.id);
    const firstSeenAt = known?.firstSeenAt ?? at;
    return [
      { ...check, detail: check.detail, firstSeenAt, lastSeenAt: at, rounds: (known?.rounds ?? 0) + 1 },
    ];
  });
  return [...kept, ...seen];
}

/** The findings that appeared and those that disappeared between two rounds. */
export function changesOf(before: readonly Finding[], after: readonly Finding[]) {
  const has = (findings: readonly Finding[], { id }: Finding) => findings.some((each) => each.id === id);
  return {
    begun: after.filter((each) => !has(before, each)),
    ended: before.filter((each) => !has(after, each)),
  };
}
