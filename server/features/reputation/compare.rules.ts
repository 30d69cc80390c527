import type { Rollup } from './card.rules.js';

/** A roll-up as it was and as a rebuild makes it. */
export interface Difference {
  /** Anchor, day and corridor. */
  key: string;
  had: Record<string, number>;
  has: Record<string, number>;
}

type Counters = Omit<Rollup, 'anchorId' | 'corridor' | 'day'>;

/** Null where both hold the same counts; an absent roll-up, counter or bucket is the same as zero. */
export function differenceOf(
  key: string,
  had: Counters | undefined,
  has: Counters | undefined,
): Difference | null {
  const left = flatten(had);
  const right = flatten(has);
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  const same = [...names].every((name) => left[name] === right[name]);
  return same ? null : { key, had: left, has: right };
}

function flatten(rollup: Counters | undefined): Record<string, number> {
  if (rollup === undefined) return {};
  const { filled, notFilled, accountDays, quotedOutcomes, shortfallPpb, acceptedDisputes, settle } = rollup;
  const counters = { filled, notFilled, accountDays, quotedOutcomes, shortfallPpb, acceptedDisputes };
  const buckets = Object.entries(settle).map(([bucket, count]) => [`settle.${bucket}`, count] as const);
  return Object.fromEntries([...Object.entries(counters), ...buckets].filter(([, count]) => count !== 0));
}
