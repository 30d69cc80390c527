import type { Problem } from './problem.js';

/** The state of a stream that a page follows. */
export type StreamStanding =
  | { state: 'connecting' }
  | { state: 'live' }
  /** Not connected; it reconnects by itself. `problem` is undefined if the service ended the connection. */
  | { state: 'reconnecting'; problem: Problem | undefined }
  /** The service refuses for good. */
  | { state: 'refused'; problem: Problem };
