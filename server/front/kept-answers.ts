import { LRUCache } from 'lru-cache';
import type { Changes, Topic } from '../cache/changes.js';
import type { Coding } from '../http/content-coding.js';
import type { Clock } from '../ports.js';
import type { AnswerForm } from './answer-form.js';

/** After this time an answer is renewed, because changes by other instances are not announced here. */
const longestMs = 1_000;
/** While one request renews an answer, the others get the old one for this much longer, if it is still valid. */
const renewalMs = 250;
/** The size of an answer apart from its body, and of a target: headers, objects and pointers. */
const overheadBytes = 1_500;

interface Kept {
  form: AnswerForm;
  /** When the answer expires, by the clock of the service. */
  until: number;
  /** By the stopwatch, which cannot be set. The first request from then on renews the answer. */
  renewAt: number;
  /** Set while one request renews the answer: the callbacks of requests that wait for it. */
  waiting: (() => void)[] | undefined;
  voidedBy: readonly Topic[];
  /** The number of changes when the making of the answer began. */
  asOf: number;
}

/** A target that was answered before. */
export interface KeptTarget<Route> {
  route: Route;
  answers: Partial<Record<Coding, Kept>>;
}

export interface KeptAnswers<Route> {
  /** The entry of a target, whether or not its answers are still valid. */
  find(url: string): KeptTarget<Route> | undefined;
  /** The answer in this coding, as of `now` by the stopwatch; undefined if it may be outdated. */
  current(target: KeptTarget<Route>, coding: Coding, now: number): AnswerForm | undefined;
  /** The renewal of an answer that may be outdated. */
  renewal(target: KeptTarget<Route>, coding: Coding): Renewal;
  /** The answer after a renewal, if it is valid. */
  renewed(url: string, coding: Coding): AnswerForm | undefined;
  keep(
    url: string,
    route: Route,
    coding: Coding,
    answer: { form: AnswerForm; sameForMs: number; voidedBy: readonly Topic[]; asOf: number },
  ): void;
}

/**
 * The first request gets `over`: it has the answer made again, and calls `over` at least once when that has ended.
 * Later requests get `wait`, so that they do not all go to the application.
 */
export type Renewal = { over: () => void } | { wait: (next: () => void) => void };

/** Caches answers of the application, each for about a second at most and until its data changes, bounded in bytes. */
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
    current({ answers }, coding, now) {
      const kept = answers[coding];
      if (kept === undefined) return undefined;
      const overMs = now - kept.renewAt;
      const isGiven = overMs < 0 || (kept.waiting !== undefined && overMs < renewalMs);
      return isGiven && isSame(kept) ? kept.form : undefined;
    },
    renewal({ answers }, coding) {
      const kept = answers[coding];
      return kept === undefined ? { over: () => undefined } : renewalOf(kept);
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
