import type { IntentAnswer, IntentTransition } from '../../../contract/schemas/intents.js';
import type { Random } from '../../ports.js';
import { eventBytes } from '../../streams/events.rules.js';
import type { EventWriter, StreamFeed } from '../../streams/ports.js';
import type { Intent } from './intent.js';
import { isOver, standingsOf, stepsOf } from './steps.rules.js';

/** One client that reads the stream of an intent. */
export interface IntentReader extends StreamFeed {
  /** To be called when the intent may have changed: reads it now, and once more shortly after. */
  wake(): void;
  /** To be called every second: reads the intent where that is due. */
  onSecond(): void;
}

export interface IntentReaderDeps {
  writer: EventWriter;
  /** Number of transitions that the reader already has. */
  seen: number;
  /** Resolves to null where the intent no longer exists. */
  read: () => Promise<Intent | null>;
  answerOf: (intent: Intent) => Promise<IntentAnswer>;
  /** Whether payments are looked up on the ledger. */
  asksLedger: boolean;
  /** Whether a read that failed with this error may succeed later. */
  mayRetry: (error: unknown) => boolean;
  random: Random;
  onClose: () => void;
}

/** Most transitions in one chunk; each takes some 2 KB. */
const mostAtOnce = 20;
/**
 * After a wake-up, the intent is read again within this time: where it is read, a majority may not have stored the change
 * yet, since the change stream has only just opened or the primary has changed.
 */
const secondsAfterWake = 2;
/** Without a wake-up, the intent is read this often, so that a lost wake-up delays a transition but does not lose it. */
const idleSeconds = { least: 26, most: 30 };

/**
 * Transitions that were not sent yet are kept in the database only. They are read when the writer is free, so that nothing
 * is queued for a slow reader and no transition is left out.
 */
export function createIntentReader(deps: IntentReaderDeps): IntentReader {
  const { writer, random } = deps;
  let { seen } = deps;
  let isReading = false;
  let mayHaveMore = false;
  let isClosed = false;
  let hasFailed = false;
  let secondsLeft = secondsAfterWake;

  async function catchUp(): Promise<void> {
    mayHaveMore = true;
    if (isReading) return;
    isReading = true;
    try {
      while (mayHaveMore && !isClosed && writer.isFree()) {
        mayHaveMore = false;
        await sendNext();
      }
    } catch (error) {
      if (deps.mayRetry(error)) hasFailed = true;
      else writer.end();
    } finally {
      isReading = false;
    }
  }

  async function sendNext(): Promise<void> {
    const intent = await deps.read();
    if (intent === null) return writer.end();
    const steps = stepsOf(intent);
    if (seen < steps.length) {
      const answer = await deps.answerOf(intent);
      // A heartbeat may have been sent meanwhile; the intent is then read again once the writer is free.
      if (isClosed || !writer.isFree()) {
        mayHaveMore = true;
        return;
      }
      const next = transitionsOf(intent, answer, deps).slice(seen, seen + mostAtOnce);
      seen += next.length;
      mayHaveMore ||= seen < steps.length;
      writer.write(Buffer.concat(next.map(bytesOf)), next.length);
    }
    if (seen >= steps.length && isOver(intent, deps)) writer.end();
  }

  function wake(): void {
    hasFailed = false;
    secondsLeft = secondsAfterWake;
    catchUp();
  }

  return {
    wake,
    onSecond() {
      if (hasFailed) return wake();
      secondsLeft -= 1;
      if (secondsLeft > 0) return;
      secondsLeft = idleSeconds.least + Math.floor(random() * (idleSeconds.most - idleSeconds.least + 1));
      catchUp();
    },
    onFree() {
      if (mayHaveMore) catchUp();
    },
    onClose() {
      isClosed = true;
      deps.onClose();
    },
  };
}

function bytesOf(transition: IntentTransition): Buffer {
  const id = String(transition.number);
  return eventBytes({ event: 'transition', id, data: JSON.stringify(transition) });
}

function transitionsOf(
  intent: Intent,
  answer: IntentAnswer,
  ledger: { asksLedger: boolean },
): IntentTransition[] {
  const steps = stepsOf(intent);
  const standings = standingsOf(steps);
  return steps.map(({ kind, at }, place) => ({
    number: place + 1,
    kind,
    at: at.toISOString(),
    status: standings[place]?.status ?? intent.status,
    transactionStatus: standings[place]?.word ?? null,
    last: place + 1 === steps.length && isOver(intent, ledger),
    intent: answer,
  }));
}
