import type { Rollup } from './card.rules.js';
import { forEachBucket } from './histogram.rules.js';

/** A roll-up as it was and as a rebuild makes it. */
export interface Difference {
  /** Anchor, day and corridor. */
  key: string;
  had: Record<string, number>;
  has: Record<string, number>;
}

type Counters = Omit<Rollup, 'anchorId' | 'corridor' | 'day'>;

/** Null where both hold the same counts; an absent roll-up or bucket is the same as zero. */
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
  const entries: [string, number][] = Object.entries(counters);
  forEachBucket(settle, (bucket, count) => entries.push([`settle.${bucket}`, count]));
  return Object.fromEntries(entries.filter(([, count]) => count !== 0));
}
