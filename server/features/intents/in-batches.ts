import { isMongoUnavailable } from '../../mongo/failures.js';

export interface Batches<Item, Result> {
  /**
   * Sends all items by one command. An Error in place of a result rejects only its own item; an error thrown here
   * rejects all of them.
   */
  send(items: readonly Item[]): Promise<readonly (Result | Error)[]>;
  maxItems: number;
  /** Whether a failure also rejects waiting items, which were not sent. Default: if the database is unavailable. */
  refusesWaiting?: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Does the same work for many callers by few commands: items that arrive while a batch is under way make up the next one.
 * A single caller waits for nothing but its own command. Each caller gets the result of its own item, once the command
 * that carried it has been answered.
 */
export function inBatches<Item, Result>({
  send,
  maxItems,
  refusesWaiting = isMongoUnavailable,
}: Batches<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let sending = false;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxItems);
      try {
        settle(batch, await send(batch.map(({ item }) => item)));
      } catch (error) {
        for (const { reject } of batch) reject(error);
        if (refusesWaiting(error)) refuseWaiting(error);
      }
    }
    sending = false;
  }

  /** Rejects the waiting items, which were not sent: they have waited for a database that does not answer. */
  function refuseWaiting(error: unknown): void {
    const refused = waiting;
    waiting = [];
    for (const { reject } of refused) reject(error);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (sending) return;
      sending = true;
      // Others that arrive in this turn of the event loop join the batch.
      setImmediate(sendAll);
    });
}

function settle<Item, Result>(
  batch: readonly Waiting<Item, Result>[],
  results: readonly (Result | Error)[],
): void {
  batch.forEach(({ resolve, reject }, place) => {
    const result = results[place];
    if (place >= results.length)
      reject(new Error('a batch was answered without a result for each of its items'));
    else if (result instanceof Error) reject(result);
    else resolve(result as Result);
  });
}
