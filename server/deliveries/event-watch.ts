import type { Waker } from '../mongo/change-streams.js';

/** Wakes the dispatcher soon after events are committed by this instance or another. */
export interface EventWatch extends Waker {
  /** Must be called for each attempt of this instance. */
  attempted(): void;
}

const windowMs = 250;
/** From this many attempts of this instance per window on, the load counts as high. */
const manyAttempts = 100;
const quickPollMs = 25;

/**
 * Under low load a change stream wakes the dispatcher. Under high load a poll every 25 ms does so instead: to serve a
 * change stream, the database examines every write, four or five per delivery among them (docs/adr/0003-deliveries.md
 * has the figures).
 * @param deps.openStream makes a waker from a change stream, which also wakes once as it starts
 */
export function createEventWatch(deps: { openStream: () => Waker; look: () => void }): EventWatch {
  const { openStream, look } = deps;
  let stream: Waker | undefined;
  let closing: Promise<void> = Promise.resolve();
  let windows: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  let attempts = 0;

  function decide(): void {
    const many = attempts >= manyAttempts;
    attempts = 0;
    if (many) {
      poll ??= setInterval(look, quickPollMs);
      closeStream();
    } else if (stream === undefined) {
      // The stream reports changes from some moment after this one on, so the poll continues for another window.
      beginStream();
    } else {
      stopPoll();
    }
  }

  function beginStream(): void {
    stream = openStream();
    stream.start();
  }

  function closeStream(): void {
    if (stream === undefined) return;
    // A stream that cannot be closed now ends with its connection.
    const closed = stream.stop().catch(() => undefined);
    stream = undefined;
    // Without the results, which would hold those of every earlier close.
    closing = Promise.all([closing, closed]).then(() => undefined);
  }

  function stopPoll(): void {
    clearInterval(poll);
    poll = undefined;
  }

  return {
    attempted() {
      attempts += 1;
    },
    start() {
      beginStream();
      windows = setInterval(decide, windowMs);
    },
    async stop() {
      clearInterval(windows);
      stopPoll();
      closeStream();
      await closing;
    },
  };
}
