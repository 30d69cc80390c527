import type { Model, RootFilterQuery } from 'mongoose';

/** Counting ends here, so that looking at a backlog costs no more however long it has grown. */
export const mostCounted = 100_000;

/** How many documents match, 100,000 at most, read from `index`. Where that is missing it throws, and never scans. */
export function countUpTo<T>(model: Model<T>, filter: RootFilterQuery<T>, index: string): Promise<number> {
  return model.countDocuments(filter, { hint: index, limit: mostCounted }).exec();
}
