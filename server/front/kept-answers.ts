import { LRUCache } from 'lru-cache';
import type { Changes, Topic } from '../cache/changes.js';
import type { Coding } from '../http/content-coding.js';
import type { Clock } from '../ports.js';
import type { AnswerForm } from './answer-form.js';

/** For everything that other instances change, which nobody announces here: after this time it is made again. */
const longestMs = 1_000;
/** While one request has it made again, the others get it for so much longer, if it is still the same. */
const renewalMs = 250;
/** Of an answer apart from its bytes, and of a target: headers, objects and pointers. */
const overheadBytes = 1_500;

interface Kept {
  form: AnswerForm;
  /** By the clock of the service. */
  until: number;
  /** By the stopwatch, which nobody sets. The first request from then on has the answer made again. */
  renewAt: number;
  /** One request has been sent to the application for it; these wait for what that is answered. */
  waiting: (() => void)[] | undefined;
  voidedBy: readonly Topic[];
  /** The changes that were known when the answer began to be made. */
  asOf: number;
}

/** A target that was answered before. */
export interface KeptTarget<Route> {
  route: Route;
  answers: Partial<Record<Coding, Kept>>;
}

export interface KeptAnswers<Route> {
  /** What is known of a target, whether or not its answers may still be given. */
  find(url: string): KeptTarget<Route> | undefined;
  /** The answer in this coding, or what to do where it may be another one by now. */
  current(target: KeptTarget<Route>, coding: Coding): AnswerForm | Renewal;
  /** The answer of a renewal that is over, if it may be given. */
  renewed(url: string, coding: Coding): AnswerForm | undefined;
  keep(
    url: string,
    route: Route,
    coding: Coding,
    answer: { form: AnswerForm; sameForMs: number; voidedBy: readonly Topic[]; asOf: number },
  ): void;
}

/**
 * The first request has the answer made again by the application, and says when that is over, at least once. Those that
 * come meanwhile wait for it, so that they do not all have it made.
 */
export type Renewal = { over: () => void } | { wait: (next: () => void) => void };

/** What the application answered, each for about a second at most and until it changes, bounded in bytes. */
export function createKeptAnswers<Route extends object>(deps: {
  changes: Pick<Changes, 'since'>;
  maxBytes: number;
  clock: Clock;
  /** Monotonic milliseconds. */
  stopwatch: Clock;
}): KeptAnswers<Route> {
  const { changes, clock, stopwatch } = deps;
  const targets = new LRUCache<string, KeptTarget<Route>>({
    maxSize: deps.maxBytes,
    sizeCalculation: sizeOf,
  });

  const isSame = ({ until, asOf, voidedBy }: Kept) => clock() < until && !changes.since(asOf, voidedBy);

  return {
    find: (url) => targets.get(url),
    current({ answers }, coding) {
      const kept = answers[coding];
      if (kept === undefined) return { over: () => undefined };
      const overMs = stopwatch() - kept.renewAt;
      if (isSame(kept) && (overMs < 0 || (kept.waiting !== undefined && overMs < renewalMs)))
        return kept.form;
      return renewalOf(kept);
    },
    renewed(url, coding) {
      const kept = targets.get(url)?.answers[coding];
      return kept !== undefined && isSame(kept) && stopwatch() < kept.renewAt ? kept.form : undefined;
    },
    keep(url, route, coding, { form, sameForMs, voidedBy, asOf }) {
      if (sameForMs <= 0) return;
      const kept = {
        form,
        until: clock() + sameForMs,
        renewAt: stopwatch() + longestMs,
        waiting: undefined,
        voidedBy,
        asOf,
      };
      targets.set(url, { route, answers: { ...targets.peek(url)?.answers, [coding]: kept } });
    },
  };
}

function renewalOf(kept: Kept): Renewal {
  const { waiting } = kept;
  if (waiting !== undefined) return { wait: (next) => waiting.push(next) };
  const others: (() => void)[] = [];
  kept.waiting = others;
  const over = () => {
    if (kept.waiting === others) kept.waiting = undefined;
    for (const next of others.splice(0)) next();
  };
  return { over };
}

function sizeOf({ answers }: KeptTarget<object>, url: string): number {
  const bytes = Object.values(answers).map(({ form }) => form.body.length + overheadBytes);
  return bytes.reduce((sum, each) => sum + each, 2 * url.length + overheadBytes);
}
