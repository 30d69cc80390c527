/**
 * What is known of the difference between MongoDB's time and the monotonic time of this process, in milliseconds:
 * MongoDB's time is monotonic time plus something between `low` and `high`.
 */
export interface OffsetBounds {
  low: number;
  high: number;
  /** When this was known, in monotonic time. */
  at: number;
}

/** One question for MongoDB's time, and the answer. */
export interface TimeReading {
  /** Monotonic time. */
  sentAt: number;
  receivedAt: number;
  /** Epoch milliseconds, rounded down by the server. */
  databaseMs: number;
}

/** Two clocks that NTP is slewing (0.5 ms per second each) drift apart no faster than this. */
const driftPerMs = 0.001;

/**
 * The server read its clock at some moment between question and answer, so a faster answer gives narrower bounds. A
 * reading narrows the known bounds, and a slow answer changes nothing. If it contradicts them, the server's clock was
 * set, another server is the primary, or the monotonic clock stood still while this machine was suspended; then only
 * the new reading counts.
 */
export function narrowed(known: OffsetBounds | undefined, reading: TimeReading): OffsetBounds {
  const { sentAt, receivedAt, databaseMs } = reading;
  const read = { low: databaseMs - receivedAt, high: databaseMs + 1 - sentAt, at: receivedAt };
  if (known === undefined) return read;
  const drift = driftPerMs * Math.max(0, receivedAt - known.at);
  const low = Math.max(read.low, known.low - drift);
  const high = Math.min(read.high, known.high + drift);
  return low <= high ? { low, high, at: receivedAt } : read;
}

export function offsetOf({ low, high }: OffsetBounds): number {
  return (low + high) / 2;
}
