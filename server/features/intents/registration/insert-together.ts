import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Intent } from '../intent.js';

interface Batch {
  intents: Intent[];
  results: Promise<readonly (boolean | Error)[]>;
}

/** Most intents of one command, some 150 KB. */
const mostAtOnce = 100;

/**
 * Collects the intents that arrive while one command is under way, and inserts them together by the next, so that an
 * instance takes intents as fast as the database does (docs/benchmarks.md). Each caller gets the result of its own intent
 * when that command is answered. `insertAll`: an Error in place of a result rejects only its own intent.
 */
export function createInsertTogether(
  insertAll: (intents: readonly Intent[]) => Promise<readonly (boolean | Error)[]>,
): (intent: Intent) => Promise<boolean> {
  let latest: Promise<unknown> = Promise.resolve();
  let gathering: Batch | undefined;

  /** A batch that takes intents until the one before it is inserted. */
  function gather(): Batch {
    const intents: Intent[] = [];
    const insert = async () => {
      // Others that arrive in this turn of the event loop join the batch.
      await nextTurn();
      if (gathering?.intents === intents) gathering = undefined;
      return insertAll(intents);
    };
    const results = latest.then(insert, insert);
    latest = results;
    return { intents, results };
  }

  return async (intent) => {
    if (gathering === undefined || gathering.intents.length === mostAtOnce) gathering = gather();
    const { intents, results } = gathering;
    const place = intents.push(intent) - 1;
    const result = (await results)[place];
    if (typeof result !== 'boolean') throw result;
    return result;
  };
}
