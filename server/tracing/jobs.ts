import { inSpan } from './span.js';
import type { StartTrace } from './start-trace.js';
import type { InJob } from './tracing.js';

/** Tasks that every instance runs more often are upkeep of its memory; their traces would drown all others. */
const tracedFromMs = 10_000;

/** A run belongs to no request, even if a request has woken the task. */
export function createInJob(startTrace: StartTrace): InJob {
  return async ({ name, on, intervalMs }, run) => {
    if (on === 'every instance' && intervalMs < tracedFromMs) return inSpan(undefined, run);
    const span = startTrace(`job ${name}`, 'internal', { attributes: { 'fairlead.job': name } });
    const outcome = await inSpan(span, run);
    span.set({ 'fairlead.job.outcome': outcome });
    span.end(outcome === 'failed' ? outcome : undefined);
    return outcome;
  };
}
