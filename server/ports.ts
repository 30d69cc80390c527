/** The outside world as narrow functions. They are passed in, so that tests control time, ids and chance. */

/** Present time in epoch milliseconds. */
export type Clock = () => number;

/** Resolves after this many milliseconds. */
export type Pause = (ms: number) => Promise<void>;

/** A number in [0, 1). */
export type Random = () => number;

/** A fresh unique id, 24 lower-case hex digits or more. */
export type NewId = () => string;

/** Structured log; `error` means that a person must act, `warn` is for what recovers by itself. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where log lines go. The service never waits for it: lines that cannot be written are dropped and counted. */
export interface LogOutput {
  /** Lines that were dropped since the start. */
  droppedLines(): number;
  /** What is wrong, in a sentence, from a failed write or a dropped line until everything has been written. */
  fault(): string | undefined;
  /** Resolves when everything that was logged is written, or after `withinMs`. Never rejects. */
  flush(withinMs: number): Promise<void>;
}

/** Time, chance, ids, the log and the built page, as the process hands them to the service. */
export interface World {
  clock: Clock;
  /** Waits between spaced steps, such as the calls to one anchor. */
  pause: Pause;
  random: Random;
  newId: NewId;
  logger: Logger;
  logOutput: LogOutput;
  env: Readonly<Record<string, string | undefined>>;
  /** What `npm run build -w web` wrote. Undefined where no page is served. */
  pageFolder: URL | undefined;
}

/** ISO 8601 UTC with milliseconds and `Z`, the one form of an instant on the wire. */
export function toInstant(at: Date | number): string {
  return new Date(at).toISOString();
}

/** What is left of a limit after one request. */
export interface RateLimitState {
  limit: number;
  /** 0 or more. */
  remaining: number;
  /** Epoch seconds, rounded up. */
  resetSeconds: number;
  /** Whole seconds, 1 or more; undefined where the request was granted. */
  retryAfterSeconds: number | undefined;
}
