const longestSpreadMs = 30_000;
/** The least time, whatever a stream asks for, so that its readers do not reconnect at once or all together. */
const leastRetryMs = 500;

/**
 * How long to wait before the n-th attempt in a row to reconnect: the requested time plus a random time that grows with
 * every failure, since a service that stops loses all its readers at once.
 * @param askedMs what `Retry-After` asks for; 0 where nothing does
 * @param retryMs what `retry` of the stream asks for; taken as 500 where it is less
 * @param random from 0 to 1
 */
export function reconnectWaitMs(attempt: number, askedMs: number, retryMs: number, random: number): number {
  const paceMs = Math.max(leastRetryMs, retryMs);
  return Math.max(askedMs, paceMs) + random * Math.min(longestSpreadMs, paceMs * 2 ** (attempt - 2));
}
