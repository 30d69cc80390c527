import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ErrorCode } from '../../../contract/errors.js';
import type { RatesAnswer } from '../../../contract/schemas/rates.js';
import type { Clock } from '../../ports.js';
import { contentFrame, type EventFrame } from '../../streams/events.rules.js';
import type { RateReader } from './rate-reader.js';
import { freshMs } from './replies.js';
import type { AskOptions, LiveQuestion, ServedRates } from './service.js';

/** An error as readers are told of it. */
export interface Problem {
  code: ErrorCode;
  frame: EventFrame;
}

export interface GroupDeps {
  question: LiveQuestion;
  /** Takes a point of this client's budget of amounts; throws where none is left. */
  payFor: (client: string) => Promise<void>;
  problemOf: (error: unknown) => Problem;
  clock: Clock;
}

/** The readers of one question. Its answer is computed and serialised once for all of them. */
export interface RateGroup {
  join(reader: RateReader): void;
  leave(reader: RateReader): void;
  isEmpty(): boolean;
  /** Offers the reader what the others have. */
  offer(reader: RateReader): void;
  /** Answers may have changed: looks whether this one has. Asks nobody, unless it was voided. */
  glance(): void;
}

interface Shown {
  frame: EventFrame;
  /** Undefined where it is a problem. */
  answer: RatesAnswer | undefined;
  version: number;
  /** Whether the streams end with it. */
  ends?: boolean;
}

/** After these, asking again may help, and the stream goes on. */
const passing: readonly ErrorCode[] = [
  'RATES_UNAVAILABLE',
  'AMOUNT_OUT_OF_RANGE',
  'RATE_LIMITED',
  'NOT_READY',
  'INTERNAL',
];
/** While anchors are asked for longer than this, readers are shown that the answer is stale. */
const patienceMs = 1_000;
/** After an attempt without a fresh answer. Where calls are paid for, as long as a quote is fresh. */
const retryMs = { free: 5_000, paid: freshMs };
/** Once a refresh is paid for, anchors are asked together; otherwise each would be when its own reply expires. */
const paidReplyMaxAgeMs = 5_000;
/** Clients that are asked to pay for one refresh, until one has a point left. */
const mostPayers = 20;
/** Readers that are written to before anything else may run. */
const writtenAtOnce = 500;

export function createRateGroup({ question, payFor, problemOf, clock }: GroupDeps): RateGroup {
  /** In the order in which they pay next. */
  const readers = new Set<RateReader>();
  let shown: Shown | undefined;
  let timer: NodeJS.Timeout | undefined;
  let paidAt: number | undefined;
  let isLooking = false;
  let isSweeping = false;

  /** Brings the answer up to date, and determines when to look again. */
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

  /** Never rejects. Returns for how long the answer is fresh; undefined where there is no fresh one, or it is void by now. */
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

  /** A point pays for what is asked for as long as a quote is fresh. */
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

  /** Throws what the last client threw, if none of those that are asked can pay; readers see first how old the answer is. */
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
        // Whoever has paid comes last, and so does who cannot, lest those who can are never asked.
        if (readers.delete(reader)) readers.add(reader);
      }
    }
    const kept = question.kept();
    if (kept !== undefined) show(kept);
    throw refusal;
  }

  /** For an answer under the present version. */
  function show({ answer, freshForMs }: ServedRates): number | undefined {
    if (answer !== shown?.answer)
      publish({ frame: contentFrame('rates', answer), answer, version: question.version() });
    return freshForMs > 0 ? freshForMs : undefined;
  }

  /** While an old answer is still served to everyone, it is no problem that nobody could be asked. */
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

  /** Those who come meanwhile have the newest; those who pay meanwhile are offered it twice, and take it once. */
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
      // One that only gave way to others in the cache is still what it was.
      else if (shown?.version !== question.version()) look();
    },
  };
}
