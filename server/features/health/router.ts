import { Router } from 'express';
import { ApiError } from '../../errors.js';
import { withTimeout } from '../../timing.js';

/** Each readiness check answers whether its part is ready; none may take longer than a second. */
export interface HealthDeps {
  checks: Readonly<Record<string, () => Promise<boolean> | boolean>>;
  warnings: readonly (() => string | undefined)[];
  /** Whether the instance is about to stop: it still serves requests, but should not be sent new ones. */
  isStopping: () => boolean;
}

const checkTimeoutMs = 1_000;
const retryAfterSeconds = 2;
const alive = { status: 'ok' };

/** `/healthz`: the process is alive. `/readyz`: every check passes and it is not stopping, else 503 NOT_READY naming why. */
export function createHealthRouter(deps: HealthDeps): Router {
  // Concurrent requests share one round of checks: this path has no rate limit, and each round queries the database.
  let round: Promise<string[]> | undefined;
  const failingNow = () => {
    round ??= failingChecks(deps.checks).finally(() => {
      round = undefined;
    });
    return round;
  };
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/healthz', (_req, res) => {
    res.json(alive);
  });
  router.get('/readyz', async (_req, res, next) => {
    const failing = deps.isStopping() ? ['stopping'] : await failingNow();
    const warnings = deps.warnings.map((warning) => warning()).filter((text) => text !== undefined);
    if (failing.length === 0) res.json({ status: 'ready', ...(warnings.length > 0 ? { warnings } : {}) });
    else
      next(new ApiError('NOT_READY', `Not ready: ${failing.join(', ')}.`, { retryAfter: retryAfterSeconds }));
  });
  return router;
}

async function failingChecks(checks: HealthDeps['checks']): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ({ name, ok: await passes(check) })),
  );
  return results.filter(({ ok }) => !ok).map(({ name }) => name);
}

async function passes(check: () => Promise<boolean> | boolean): Promise<boolean> {
  try {
    return await withTimeout(checkTimeoutMs, Promise.resolve(check()), () => new Error('the check is late'));
  } catch {
    return false;
  }
}
