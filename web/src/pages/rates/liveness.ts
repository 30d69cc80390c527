import type { Problem } from '../../data/problem.js';
import type { StreamStanding } from '../../data/use-stream.js';

/** How the board is kept up to date. */
export type Liveness = 'live' | 'asking' | 'reconnecting' | 'offline';

/**
 * The liveness of a board that is streamed, and polled while the stream is not open. If the service refuses the stream for
 * now because it has too many, the board is polled like any other.
 */
export function livenessOf(board: {
  problem: Problem | undefined;
  standing: StreamStanding;
  /** Whether the last event of the stream was a problem. */
  isTroubled: boolean;
  isOnline: boolean;
}): Liveness {
  const { problem, standing, isTroubled, isOnline } = board;
  const lost = standing.state === 'reconnecting' ? (standing.problem ?? problem) : problem;
  if (!isOnline || lost?.kind === 'offline') return 'offline';
  if (lost?.kind === 'unreachable') return 'reconnecting';
  if (standing.state === 'live' && !isTroubled) return 'live';
  return standing.state === 'reconnecting' && standing.problem === undefined ? 'reconnecting' : 'asking';
}
