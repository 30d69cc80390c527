import { ApiError, invalidRequest } from '../../errors.js';
import { isMongoUnavailable } from '../../mongo/failures.js';
import type { Logger } from '../../ports.js';
import type { StreamSource } from '../../streams/ports.js';
import { createIntentReader, type IntentReader, type IntentReaderDeps } from './intent-reader.js';
import { isOver, stepsOf } from './steps.rules.js';
import type { IntentStore } from './store.js';
import type { IntentStreamStore } from './stream-store.js';

/** The streams of intents. One change stream tells every reader when to read; it is open while there are readers. */
export interface IntentStreams {
  /**
   * The source of a reader's stream; undefined where no transition can follow those that the reader has. `lastEventId`:
   * the number of the last transition that the reader has. Throws UNKNOWN_INTENT, INVALID_REQUEST and NOT_READY.
   */
  prepare(intentHash: string, lastEventId: string | undefined): Promise<StreamSource | undefined>;
  stop(): Promise<void>;
}

/** The change stream stays open this long after the last reader left, so that reconnecting readers find it open. */
const lingerMs = 30_000;
const second = 1_000;
/** After about this time, a new primary can answer reads of majority-committed data. */
const retryAfterSeconds = 2;

export function createIntentStreams(
  deps: Pick<IntentReaderDeps, 'answerOf' | 'asksLedger' | 'random'> & {
    store: Pick<IntentStore, 'findByHash'>;
    streams: IntentStreamStore;
    logger: Logger;
  },
): IntentStreams {
  const { store, streams, answerOf, asksLedger, random, logger } = deps;
  const readers = new Map<string, Set<IntentReader>>();
  let linger: NodeJS.Timeout | undefined;
  let everySecond: NodeJS.Timeout | undefined;

  const changes = streams.watchSteps({
    onStep: (intentHash) => {
      for (const reader of readers.get(intentHash) ?? []) reader.wake();
    },
    // Every reader reads what happened while the change stream was closed.
    onOpen: () => forEachReader((reader) => reader.wake()),
    logger,
  });

  function forEachReader(tell: (reader: IntentReader) => void): void {
    for (const those of readers.values()) for (const reader of those) tell(reader);
  }

  function start(): void {
    clearTimeout(linger);
    changes.start();
    // One timer for all readers, so that reads that are due in the same second are batched.
    everySecond ??= setInterval(() => forEachReader((reader) => reader.onSecond()), second).unref();
  }

  async function stop(): Promise<void> {
    clearTimeout(linger);
    clearInterval(everySecond);
    everySecond = undefined;
    await changes.stop();
  }

  function add(intentHash: string, reader: IntentReader): void {
    readers.set(intentHash, (readers.get(intentHash) ?? new Set()).add(reader));
    start();
  }

  function remove(intentHash: string, reader: IntentReader): void {
    const those = readers.get(intentHash);
    those?.delete(reader);
    if (those?.size === 0) readers.delete(intentHash);
    if (readers.size > 0) return;
    linger = setTimeout(() => stop().catch(() => undefined), lingerMs);
    linger.unref();
  }

  function mayRetry(error: unknown): boolean {
    if (isMongoUnavailable(error)) return true;
    logger.error({ err: error }, 'an intent that is followed could not be read; its stream ends');
    return false;
  }

  return {
    async prepare(intentHash, lastEventId) {
      const seen = numberIn(lastEventId);
      if (seen === undefined) throw notANumber();
      const intent = await streams.readCommitted(intentHash);
      if (intent === null) throw (await store.findByHash(intentHash)) === null ? unknown() : notYet();
      const count = stepsOf(intent).length;
      if (seen > count) throw notYet();
      if (seen === count && isOver(intent, { asksLedger })) return undefined;
      return (writer) => {
        const reader = createIntentReader({
          writer,
          seen,
          read: () => streams.readCommitted(intentHash),
          answerOf,
          asksLedger,
          mayRetry,
          random,
          onClose: () => remove(intentHash, reader),
        });
        add(intentHash, reader);
        reader.wake();
        return reader;
      };
    },
    stop,
  };
}

/** Digits of a transition number: steps that can be repeated at will are recorded only up to the hundredth. */
const mostDigits = 3;

function numberIn(lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return 0;
  return /^\d+$/.test(lastEventId) && lastEventId.length <= mostDigits ? Number(lastEventId) : undefined;
}

function notANumber(): ApiError {
  const message = 'must be the number of a transition, which has three digits at most';
  return invalidRequest([{ path: 'header.last-event-id', message }]);
}

function unknown(): ApiError {
  return new ApiError('UNKNOWN_INTENT', 'No intent has this hash.');
}

/** The named transition was sent, or will be, but a majority of the database does not have it yet. */
function notYet(): ApiError {
  const message = 'The database has not confirmed what Last-Event-ID names; try again shortly.';
  return new ApiError('NOT_READY', message, { retryAfter: retryAfterSeconds });
}
