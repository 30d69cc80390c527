import type { Waker } from '../../mongo/change-streams.js';
import type { Clock } from '../../ports.js';

/** Wakes the dispatcher: by a change stream while there is little to do, by a quick poll while there is much. */
export interface OutboxWaker extends Waker {
  /** To be told of each attempt: that is how it knows. */
  attempted(): void;
}

const windowMs = 250;
/** Attempts within a window: so many are much, and fewer than so many are little again. */
const much = 100;
const little = 50;
const quickPollMs = 25;

/**
 * To serve a change stream, the database looks at every write there is, those of the deliveries included: four or five
 * each (*measured*: 40 µs a delivery, a fifth of what it costs the database in all). Under load that buys nothing, for
 * a poll finds as much each time.
 * @param deps.openStream makes a waker by a change stream, which wakes once as it starts
 * @param deps.stopwatch monotonic milliseconds
 */
export function createOutboxWaker(deps: {
  openStream: () => Waker;
  wake: () => void;
  stopwatch: Clock;
}): OutboxWaker {
  const { openStream, wake, stopwatch } = deps;
  let stream: Waker | undefined;
  let closing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let windowBegan = 0;
  let inWindow = 0;

  function attempted(): void {
    inWindow += 1;
    if (!running || timer !== undefined) return;
    if (stopwatch() - windowBegan > windowMs) beginWindow(1);
    else if (inWindow >= much) pollQuickly();
  }

  function beginWindow(attempts: number): void {
    windowBegan = stopwatch();
    inWindow = attempts;
  }

  function pollQuickly(): void {
    beginWindow(0);
    closeStream();
    timer = setInterval(poll, quickPollMs);
  }

  function poll(): void {
    wake();
    if (stopwatch() - windowBegan < windowMs) return;
    if (inWindow >= much) closeStream();
    // It is there from some moment on after it was asked for: until then, and a window longer, the poll goes on.
    else if (stream !== undefined) stopPolling();
    else if (inWindow < little) beginStream();
    beginWindow(0);
  }

  function stopPolling(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function beginStream(): void {
    stream = openStream();
    stream.start();
  }

  function closeStream(): void {
    // One that cannot be closed now ends with its connection, or when it is not read any more.
    const closed = stream?.stop().catch(() => undefined);
    stream = undefined;
    closing = Promise.all([closing, closed]).then(() => undefined);
  }

  return {
    attempted,
    start() {
      running = true;
      beginStream();
    },
    async stop() {
      running = false;
      stopPolling();
      closeStream();
      await closing;
    },
  };
}
