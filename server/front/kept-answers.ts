import { LRUCache } from 'lru-cache';
import type { Changes, Topic } from '../cache/changes.js';
import type { Coding } from '../http/content-coding.js';
import type { Clock } from '../ports.js';
import type { AnswerForm } from './answer-form.js';

/** For everything that other instances change, which nobody announces here: after this time it is made again. */
const longestMs = 1_000;
/** While one request has it made again, the others get it for so much longer, and do not all ask the application. */
const renewalMs = 250;
/** Of an answer apart from its bytes, and of a target: headers, objects and pointers. */
const overheadBytes = 1_500;

interface Kept {
  form: AnswerForm;
  /** By the clock of the service. */
  until: number;
  /** By the stopwatch, which nobody sets. The first request from then on has the answer made again. */
  renewAt: number;
  /** One request has been sent to the application for it. */
  isRenewed: boolean;
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
  /** The answer in this coding, unless it may be another one by now. */
  current(target: KeptTarget<Route>, coding: Coding): AnswerForm | undefined;
  keep(
    url: string,
    route: Route,
    coding: Coding,
    answer: { form: AnswerForm; sameForMs: number; voidedBy: readonly Topic[]; asOf: number },
  ): void;
}

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

  return {
    find: (url) => targets.get(url),
    current({ answers }, coding) {
      const kept = answers[coding];
      if (kept === undefined || clock() >= kept.until || changes.since(kept.asOf, kept.voidedBy))
        return undefined;
      const overMs = stopwatch() - kept.renewAt;
      if (overMs < 0 || (kept.isRenewed && overMs < renewalMs)) return kept.form;
      kept.isRenewed = true;
      return undefined;
    },
    keep(url, route, coding, { form, sameForMs, voidedBy, asOf }) {
      if (sameForMs <= 0) return;
      const kept = {
        form,
        until: clock() + sameForMs,
        renewAt: stopwatch() + longestMs,
        isRenewed: false,
        voidedBy,
        asOf,
      };
      targets.set(url, { route, answers: { ...targets.peek(url)?.answers, [coding]: kept } });
    },
  };
}

function sizeOf({ answers }: KeptTarget<object>, url: string): number {
  const bytes = Object.values(answers).map(({ form }) => form.body.length + overheadBytes);
  return bytes.reduce((sum, each) => sum + each, 2 * url.length + overheadBytes);
}
