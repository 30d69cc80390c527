import { constants } from 'node:os';

/** The signals by which a process is asked to end. */
export const stopSignals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Ends the process as the signal would without a listener. The signal does not end the first process of a container,
 * which then exits with the code that a shell shows for it: 130 or 143.
 */
export function endBy(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  process.exit(128 + constants.signals[signal]);
}
