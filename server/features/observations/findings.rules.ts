import type { Check } from './assess.rules.js';

/** Something wrong with an anchor that is not mended yet. */
export interface Finding extends Check {
  detail: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
  rounds: number;
}

/** What nothing has looked at for so long is not said any more. */
const forgottenAfterMs = 7 * 86_400_000;

/**
 * The findings after a round. What was looked at and is in order is gone; what could not be looked at stays as it was,
 * unless it is about a corridor that the anchor does not serve any more.
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

/** Those that began and those that ended between two rounds. */
export function changesOf(before: readonly Finding[], after: readonly Finding[]) {
  const has = (findings: readonly Finding[], { id }: Finding) => findings.some((each) => each.id === id);
  return {
    begun: after.filter((each) => !has(before, each)),
    ended: before.filter((each) => !has(after, each)),
  };
}
