import { currentSpan, inSpan, type Span } from './span.js';

/**
 * Runs work that several callers wait for, in the trace of the first one that is sampled. If others are sampled, too,
 * they and the work are linked to each other.
 */
export async function together<T>(
  callers: readonly (Span | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  const [first, ...others] = new Set(callers.filter((span) => span?.isRecording() === true) as Span[]);
  // The sender runs in the context of the caller that started it, to whom its later batches do not belong.
  if (first === undefined) return currentSpan() === undefined ? work() : inSpan(undefined, work);
  if (others.length === 0) return inSpan(first, work);
  const span = first.startChild('batch', 'internal', { 'fairlead.batch.size': callers.length });
  for (const other of others) {
    span.link(other);
    other.link(span);
  }
  try {
    const result = await inSpan(span, work);
    span.end();
    return result;
  } catch (error) {
    span.end('error');
    throw error;
  }
}
