import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ErrorCode } from '../../../contract/errors.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import type { Clock } from '../../ports.js';
import { contentFrame, type EventFrame } from '../../streams/events.rules.js';
import type { RateReader } from './rate-reader.js';
import { freshMs } from './replies.js';
import type { AskOptions, LiveQuestion, ServedRates } from './service.js';

/** An error as it is sent to readers. */
export interface Problem {
  code: ErrorCode;
  frame: EventFrame;
}

export interface GroupDeps {
  question: LiveQuestion;
  /** Takes a point from this client's budget of amounts; throws if none is left. */
  payFor: (client: string) => Promise<void>;
  problemOf: (error: unknown) => Problem;
  clock: Clock;
}

/** The readers of one question. Its answer is computed and serialised once for all of them. */
export interface RateGroup {
  join(reader: RateReader): void;
  leave(reader: RateReader): void;
  isEmpty(): boolean;
  /** Offers the reader the answer that the others have. */
  offer(reader: RateReader): void;
  /** Called when answers may have changed; sends this one if it has. Asks no anchor, unless the answer was invalidated. */
  glance(): void;
}

interface Shown {
  frame: EventFrame;
  /** Undefined if the frame is a problem. */
  answer: RatesAnswer | undefined;
  version: number;
  /** Whether the streams end after this frame. */
  ends?: boolean;
}

/** The errors after which asking again may help, so the stream continues. */
const passing: readonly ErrorCode[] = [
  'RATES_UNAVAILABLE',
  'AMOUNT_OUT_OF_RANGE',
  'RATE_LIMITED',
  'NOT_READY',
  'INTERNAL',
];
/** If asking the anchors takes longer than this, readers are sent the old answer, marked as stale. */
const patienceMs = 1_000;
/** The delay after an attempt without a fresh answer. If calls are paid for, it is the time for which a quote is fresh. */
const retryMs = { free: 5_000, paid: freshMs };
/** A paid refresh asks all anchors with older replies at once; otherwise each would be asked when its own reply expires. */
const paidReplyMaxAgeMs = 5_000;
/** The most clients that are asked to pay for one refresh, until one has a point left. */
const mostPayers = 20;
/** The number of readers written to before other work may run. */
const writtenAtOnce = 500;

export function createRateGroup({ question, payFor, problemOf, clock }: GroupDeps): RateGroup {
  /** The readers in the order in which they pay next. */
  const readers = new Set<RateReader>();
  let shown: Shown | undefined;
  let timer: NodeJS.Timeout | undefined;
  let paidAt: number | undefined;
  let isLooking = false;
  let isSweeping = false;

  /** Updates the answer and schedules the next update. */
  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    clearTimeout(timer);
    let version: number;
    let waitMs: number;
    do {
      version = question.version();
      const costs = question.costsCalls();
      waitMs = (await refresh(version, costs)) ?? (costs ? retryMs.paid : retryMs.free);
    } while (version !== question.version() && readers.size > 0);
    isLooking = false;
    if (readers.size === 0) return;
    timer = setTimeout(look, waitMs);
    timer.unref();
  }

  /** Never rejects. Returns how long the answer is fresh; undefined if there is no fresh one, or it was invalidated. */
  async function refresh(version: number, costs: boolean): Promise<number | undefined> {
    try {
      const kept = question.kept();
      if (kept !== undefined && kept.freshForMs > 0) return show(kept);
      if (kept !== undefined && shown === undefined) show(kept);
      const pays = costs && !isPaid();
      if (pays) await pay();
      return await ask(
        pays ? { maxAgeMs: freshMs, replyMaxAgeMs: paidReplyMaxAgeMs } : { maxAgeMs: freshMs },
      );
    } catch (error) {
      if (version === question.version()) await showProblem(problemOf(error));
      return undefined;
    }
  }

  /** One point pays for all calls during the time for which a quote is fresh. */
  function isPaid(): boolean {
    const since = paidAt === undefined ? freshMs : clock() - paidAt;
    return since >= 0 && since < freshMs;
  }

  async function ask(ages: AskOptions): Promise<number | undefined> {
    const late = setTimeout(() => {
      const kept = question.kept();
      if (kept !== undefined) show(kept);
    }, patienceMs);
    const version = question.version();
    try {
      const served = await question.ask(ages);
      return version === question.version() ? show(served) : undefined;
    } finally {
      clearTimeout(late);
    }
  }

  /** Makes one client pay. If none of those asked can, sends readers the kept answer and throws the last client's error. */
  async function pay(): Promise<void> {
    const tried = new Set<string>();
    let refusal: unknown;
    for (const reader of [...readers]) {
      if (tried.size === mostPayers) break;
      try {
        if (tried.has(reader.client)) continue;
        tried.add(reader.client);
        await payFor(reader.client);
        paidAt = clock();
        return;
      } catch (error) {
        refusal = error;
      } finally {
        // A reader moves to the end whether or not its client could pay, so that every client is asked in turn.
        if (readers.delete(reader)) readers.add(reader);
      }
    }
    const kept = question.kept();
    if (kept !== undefined) show(kept);
    throw refusal;
  }

  /** Sends an answer of the current version to the readers. Returns how long it is fresh; undefined if it is stale. */
  function show({ answer, freshForMs }: ServedRates): number | undefined {
    if (answer !== shown?.answer)
      publish({ frame: contentFrame('rates', answer), answer, version: question.version() });
    return freshForMs > 0 ? freshForMs : undefined;
  }

  /** RATE_LIMITED is not sent to readers while an old answer is still served. */
  async function showProblem({ code, frame }: Problem): Promise<void> {
    if (code === 'RATE_LIMITED' && question.kept() !== undefined) return;
    const ends = !passing.includes(code);
    await publish({ frame, answer: undefined, version: question.version(), ends });
  }

  function give(reader: RateReader): void {
    if (shown === undefined) return;
    reader.offer(shown.frame);
    if (shown.ends) reader.end();
  }

  async function publish(next: Shown): Promise<void> {
    if (next.frame.name === shown?.frame.name) {
      shown = next;
      return;
    }
    shown = next;
    if (!isSweeping) await sweep();
  }

  /** Readers that join meanwhile have the newest frame. One that pays meanwhile is offered it twice and takes it once. */
  async function sweep(): Promise<void> {
    isSweeping = true;
    let swept: EventFrame | undefined;
    while (shown !== undefined && swept !== shown.frame) {
      swept = shown.frame;
      let written = 0;
      for (const reader of readers) {
        give(reader);
        written += 1;
        if (written % writtenAtOnce === 0) await nextTurn();
      }
    }
    isSweeping = false;
  }

  return {
    join(reader) {
      readers.add(reader);
      if (shown === undefined) look();
      else give(reader);
    },
    leave(reader) {
      readers.delete(reader);
      if (readers.size === 0) clearTimeout(timer);
    },
    isEmpty: () => readers.size === 0,
    offer: give,
    glance() {
      const kept = question.kept();
      if (kept !== undefined && kept.freshForMs > 0) show(kept);
      // An answer that was only evicted from the cache is still valid.
      else if (shown?.version !== question.version()) look();
    },
  };
}
