import { isMongoUnavailable } from '../../../mongo/failures.js';
import type { Intent } from '../intent.js';

interface Waiting {
  intent: Intent;
  resolve(inserted: boolean): void;
  reject(error: unknown): void;
}

/** Most intents of one command, some 150 KB. */
const mostAtOnce = 100;

/**
 * Inserts the intents that arrive while an insert is under way by the next command, which is what lets an instance take
 * intents as fast as the database (docs/benchmarks.md). Each caller gets the result of its own intent, once the command that
 * carried it was answered. `insertAll`: an Error in place of a result rejects only its own intent.
 */
export function createInsertTogether(
  insertAll: (intents: readonly Intent[]) => Promise<readonly (boolean | Error)[]>,
): (intent: Intent) => Promise<boolean> {
  const waiting: Waiting[] = [];
  let isInserting = false;

  async function insertWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostAtOnce);
      try {
        const results = await insertAll(batch.map(({ intent }) => intent));
        batch.forEach(({ resolve, reject }, place) => {
          const result = results[place];
          if (typeof result === 'boolean') resolve(result);
          else reject(result);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
        // The others have waited for a database that does not answer.
        if (isMongoUnavailable(error)) for (const { reject } of waiting.splice(0)) reject(error);
      }
    }
    isInserting = false;
  }

  return (intent) =>
    new Promise((resolve, reject) => {
      waiting.push({ intent, resolve, reject });
      if (isInserting) return;
      isInserting = true;
      // Others that arrive in this turn of the event loop join the batch.
      setImmediate(insertWaiting);
    });
}
