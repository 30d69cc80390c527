import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { failureOf, type Problem } from './problem.js';
import { serviceNow } from './service-clock.js';

/** Something to ask the service. */
export interface Question<T> {
  /** Names the answer: questions of the same key share it. */
  key: readonly unknown[];
  /** Asks; `unwrap` makes errors of refusals: `async (signal) => unwrap(await client.rates.getRates({ …, signal }))`. */
  ask: (signal: AbortSignal) => Promise<T>;
  /**
   * How often the question is asked again while the page is visible; if absent, it is asked once. If the interval depends on
   * the answer, pass the same function each time.
   */
  everyMs?: number | undefined | ((value: T | undefined) => number | undefined);
}

/** An answer in whatever state it is: `value` is the last one there was, `problem` why there is no newer one. */
export interface Answered<T> {
  value: T | undefined;
  /** When the value arrived, in epoch milliseconds. */
  at: number | undefined;
  problem: Problem | undefined;
  /** When it is asked again after a problem; undefined where that would not help. */
  retryAt: number | undefined;
  isAsking: boolean;
  /** Asks now. */
  ask: () => void;
}

type Kept<T> = Pick<Answered<T>, 'value' | 'at' | 'problem' | 'retryAt'>;

const nothing = { value: undefined, at: undefined, problem: undefined, retryAt: undefined };
/** A younger answer is shown without asking again. */
const freshMs = 5_000;
const answers = new QueryClient({
  defaultOptions: { queries: { retry: false, networkMode: 'always', gcTime: 300_000 } },
});

// It then asks again when the reader comes back to the page, or to the network.
answers.mount();

/** Asks a question and follows its answer; without a question nothing is asked. */
export function useAnswer<T>(question: Question<T> | undefined): Answered<T> {
  const key = question === undefined ? undefined : JSON.stringify(question.key);
  // The same key is the same question, however often the component is drawn.
  const observer = useMemo(
    () => (question === undefined ? undefined : observerOf(question)),
    [key, question?.everyMs],
  );
  const [, draw] = useState(0);
  useEffect(() => observer?.subscribe(() => draw((count) => count + 1)), [observer]);
  const ask = useCallback(() => void observer?.refetch(), [observer]);
  const result = observer?.getCurrentResult();
  if (result?.error) throw result.error;
  return { ...(result?.data ?? nothing), isAsking: result?.isFetching ?? false, ask };
}

/** Stores and shows an answer that arrived otherwise, as by a stream. A pending request is older: it is cancelled. */
export function keepAnswer<T>(key: readonly unknown[], value: T): void {
  void answers.cancelQueries({ queryKey: key, exact: true });
  answers.setQueryData<Kept<T>>(key, { ...nothing, value, at: serviceNow() });
}

/** Forgets the answers whose keys begin with this prefix, such as those that were asked for with an admin key. */
export function forgetAnswers(keyPrefix: readonly unknown[]): void {
  answers.removeQueries({ queryKey: keyPrefix });
}

/** Follows the answer to a question, and asks it while anybody follows. */
export function observerOf<T>({ key, ask, everyMs }: Question<T>): QueryObserver<Kept<T>> {
  return new QueryObserver<Kept<T>>(answers, {
    queryKey: key,
    staleTime: typeof everyMs === 'number' ? everyMs : freshMs,
    refetchOnReconnect: 'always',
    refetchInterval: ({ state }) => {
      const { value, problem, retryAt } = state.data ?? nothing;
      if (retryAt !== undefined) return Math.max(250, retryAt - serviceNow());
      // Another request would be refused as well.
      if (problem !== undefined) return false;
      return (typeof everyMs === 'function' ? everyMs(value) : everyMs) ?? false;
    },
    async queryFn({ signal }) {
      try {
        return { ...nothing, value: await ask(signal), at: serviceNow() };
      } catch (error) {
        const failure = signal.aborted ? undefined : failureOf(error, navigator.onLine);
        if (failure === undefined) throw error;
        const { problem, waitMs } = failure;
        const last = answers.getQueryData<Kept<T>>(key) ?? nothing;
        return { ...last, problem, retryAt: waitMs === null ? undefined : serviceNow() + waitMs };
      }
    },
  });
}
