import type { StreamEvent, StreamState } from '@fairlead/contract/client';
import { useEffect, useState } from 'preact/hooks';
import { failureOf, type Problem } from './problem.js';
import { useBrowserState } from './use-browser-state.js';

/** The state of a stream that a page follows. */
export type StreamStanding =
  | { state: 'connecting' }
  | { state: 'live' }
  /** Not connected; it reconnects by itself. `problem` is undefined if the service ended the connection. */
  | { state: 'reconnecting'; problem: Problem | undefined }
  /** The service refuses for good. */
  | { state: 'refused'; problem: Problem };

export interface OpenOptions {
  signal: AbortSignal;
  onState: (state: StreamState) => void;
}

/** Something to follow. */
interface Followed<E> {
  /** Identifies the stream: another key means another stream. */
  key: readonly unknown[];
  /** Opens the stream: `(options) => client.rates.stream({ params, query }, options)`. */
  open: (options: OpenOptions) => AsyncIterable<E>;
  /** Takes each event in turn; nothing is called of a stream that is no longer followed. */
  onEvent: (event: E) => void;
}

const connecting: StreamStanding = { state: 'connecting' };

/** Follows a stream while the page is visible and returns its state; opens nothing if there is none. */
export function useStream<E extends StreamEvent<string, unknown>>(
  followed: Followed<E> | undefined,
): StreamStanding {
  const key = followed === undefined ? undefined : JSON.stringify(followed.key);
  // A page that nobody sees holds no connection.
  const isSeen = useBrowserState(() => !document.hidden, document, ['visibilitychange']);
  const [standing, setStanding] = useState(connecting);
  const [fault, setFault] = useState<unknown>();
  useEffect(() => {
    setStanding(connecting);
    if (followed === undefined || !isSeen) return;
    const controller = new AbortController();
    follow(followed, controller.signal, setStanding).catch(setFault);
    return () => controller.abort();
  }, [key, isSeen]);
  if (fault !== undefined) throw fault;
  return standing;
}

async function follow<E>(
  { open, onEvent }: Followed<E>,
  signal: AbortSignal,
  tell: (standing: StreamStanding) => void,
): Promise<void> {
  let isLost = false;
  const onState = (state: StreamState) => {
    isLost = state.state === 'waiting' || (isLost && state.state === 'connecting');
    // An attempt to reconnect does not change the state that is shown.
    if (!signal.aborted && !(isLost && state.state === 'connecting')) tell(standingOf(state));
  };
  try {
    for await (const event of open({ signal, onState })) {
      if (signal.aborted) return;
      onEvent(event);
    }
  } catch (error) {
    if (signal.aborted) return;
    const failure = failureOf(error, navigator.onLine);
    if (failure === undefined) throw error;
    tell({ state: 'refused', problem: failure.problem });
  }
}

function standingOf(state: StreamState): StreamStanding {
  if (state.state !== 'waiting') return state;
  return { state: 'reconnecting', problem: failureOf(state.cause, navigator.onLine)?.problem };
}
