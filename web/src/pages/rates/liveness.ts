import type { Problem } from '../../data/problem.js';
import type { StreamStanding } from '../../data/stream-standing.js';

/** How the board is kept up to date. */
export type Liveness = 'live' | 'asking' | 'reconnecting' | 'offline';

/**
 * Of a board that is streamed, and asked about while it is not. A stream that the service refuses for now, for want of
 * places, leaves a board that is asked about like any other.
 */
export function livenessOf(board: {
  problem: Problem | undefined;
  standing: StreamStanding;
  /** Whether the stream told of a problem last. */
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
