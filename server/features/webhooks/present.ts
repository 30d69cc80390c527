import type { Clock } from '../../ports.js';

/** The present time as an operand of an aggregation expression. */
export type Present = () => '$$NOW' | Date;

/** The database's own time: the clocks of instances differ, and a claim must not end early for one of them. */
export const serverPresent: Present = () => '$$NOW';

/** Time as a test has it. */
export function clockPresent(clock: Clock): Present {
  return () => new Date(clock());
}
