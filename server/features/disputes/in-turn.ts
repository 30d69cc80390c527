import { ApiError } from '../../errors.js';

/** Runs `work` when all earlier work of the same key has ended. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Lets transactions that are bound to conflict follow each other rather than meet: those of one key in this process.
 * (Measured: thirty at once, of one key on two instances, spent their 3 s on retries.) Whoever waits behind work that
 * failed, as when the database does not answer, fails with it: a line of time-outs would hold its last for minutes.
 * A refusal is no failure.
 */
export function createInTurn(): InTurn {
  /** The end of each line: resolves, when it is reached, to what failed there, or to null. */
  const lines = new Map<string, Promise<unknown>>();

  return async (key, work) => {
    const before = lines.get(key) ?? Promise.resolve(null);
    const turn = before.then((failure) => {
      if (failure !== null) throw failure;
      return work();
    });
    const end = turn.then(
      () => null,
      (error: unknown) => (error instanceof ApiError ? null : error),
    );
    lines.set(key, end);
    try {
      return await turn;
    } finally {
      if (lines.get(key) === end) lines.delete(key);
    }
  };
}
