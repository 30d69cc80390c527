/** The points of a tick between which a process may die; tests stop or kill it there. */
export const tickSteps = [
  'tick_noted',
  'attempt_noted',
  'entries_written',
  'header_committed',
  'submission_claimed',
  'oracle_answered',
  'receipt_stored',
  'announced',
  'end_noted',
] as const;

export type TickStep = (typeof tickSteps)[number];

export type OnStep = (step: TickStep) => void | Promise<void>;
