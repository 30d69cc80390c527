import { withTimeout } from '../with-timeout.js';
import { UpstreamFault } from './upstream-fault.js';

/** The work, or UpstreamFault `timeout`; the work itself goes on and fills its caches. */
export function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return withTimeout(timeoutMs, work, () => new UpstreamFault('timeout', `no answer in ${timeoutMs} ms`));
}
