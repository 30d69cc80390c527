import type { Problem } from './problem.js';

/** How it stands with what a page follows. */
export type StreamStanding =
  | { state: 'connecting' }
  | { state: 'live' }
  /** Not connected; it connects again by itself. No problem where the service ended the connection. */
  | { state: 'reconnecting'; problem: Problem | undefined }
  /** Nothing more can come. */
  | { state: 'ended' }
  /** The service refuses for good. */
  | { state: 'refused'; problem: Problem };
