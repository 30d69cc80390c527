import { Router } from 'express';
import { ApiError } from '../../errors.js';
import { withTimeout } from '../../timing.js';

const checkTimeoutMs = 1_000;
const retryAfterSeconds = 2;

/**
 * The health endpoints for load balancers. `/healthz`: the process is alive. `/readyz`: MongoDB answers within a second, a
 * corridor is served, and the instance is not stopping; else 503 NOT_READY naming why. Other problems, which do not make
 * its answers wrong, are reported as warnings.
 */
export function createHealthFeature(deps: {
  pingDatabase: () => Promise<boolean>;
  servesCorridors: () => boolean;
  /** Each returns a sentence that describes a problem, or undefined. */
  warnings: readonly (() => string | undefined)[];
}) {
  const late = () => new Error('the check is late');
  let ping: Promise<boolean> | undefined;
  let stopping = false;

  /** Concurrent requests share one query: this path has no rate limit. */
  function databaseAnswers(): Promise<boolean> {
    ping ??= withTimeout(checkTimeoutMs, deps.pingDatabase(), late)
      .catch(() => false)
      .finally(() => {
        ping = undefined;
      });
    return ping;
  }

  const router = Router({ caseSensitive: true, strict: true });
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res, next) => {
    const fails = {
      stopping,
      mongodb: !(await databaseAnswers()),
      fleet: !deps.servesCorridors(),
    };
    const failing = Object.entries(fails).flatMap(([name, isFailing]) => (isFailing ? [name] : []));
    const warnings = deps.warnings.flatMap((warning) => warning() ?? []);
    if (failing.length === 0) res.json({ status: 'ready', ...(warnings.length > 0 ? { warnings } : {}) });
    else
      next(new ApiError('NOT_READY', `Not ready: ${failing.join(', ')}.`, { retryAfter: retryAfterSeconds }));
  });
  return {
    router,
    /** From now on the service reports that it is not ready, but still serves requests. */
    announceStop() {
      stopping = true;
    },
  };
}
