import type { Waker } from '../mongo/change-streams.js';

/** Has events looked for soon after they are committed, by this instance or another. */
export interface EventWatch extends Waker {
  /** To be told of each attempt of this instance. */
  attempted(): void;
}

const windowMs = 250;
/** Attempts of this instance within a window from which on there is much to do. */
const manyAttempts = 100;
const quickPollMs = 25;

/**
 * While there is little to do a change stream wakes the dispatcher. While there is much to do a poll looks every 25 ms
 * instead: to serve a change stream, the database examines every write there is, four or five per delivery among them
 * (docs/adr/0003-deliveries.md has the figures).
 * @param deps.openStream makes a waker by a change stream, which looks once as it starts
 */
export function createEventWatch(deps: { openStream: () => Waker; look: () => void }): EventWatch {
  const { openStream, look } = deps;
  let stream: Waker | undefined;
  let closing: Promise<unknown> = Promise.resolve();
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
      // It tells of changes from some moment after this one on, so the poll goes on for another window.
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
    // One that cannot be closed now ends with its connection.
    const closed = stream?.stop().catch(() => undefined);
    stream = undefined;
    closing = Promise.all([closing, closed]);
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
