import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { pathToFileURL } from 'node:url';

/**
 * Whether the module of this `import.meta.url` is the program that was started. Node loads a program by its real path,
 * but `process.argv` has the path that was given: perhaps through a symlink, or without the file extension.
 */
export function isMain(moduleUrl: string): boolean {
  const [, called] = process.argv;
  return called !== undefined && moduleUrl === pathToFileURL(createRequire(moduleUrl).resolve(called)).href;
}

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
