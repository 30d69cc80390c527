import { Router } from 'express';
import type { Registry } from 'prom-client';
import { withTimeout } from '../../with-timeout.js';

/** Each readiness check answers whether its part is ready; none may take longer than a second. */
export interface HealthDeps {
  checks: Readonly<Record<string, () => Promise<boolean> | boolean>>;
  registry: Registry;
}

const checkTimeoutMs = 1_000;

/** `/healthz`: the process is alive. `/readyz`: every check passes, else 503 saying which. `/metrics`: Prometheus. */
export function createHealthRouter(deps: HealthDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const results = await Promise.all(
      Object.entries(deps.checks).map(async ([name, check]) => [name, await passes(check)] as const),
    );
    const ready = results.every(([, ok]) => ok);
    res
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ready' : 'not ready', checks: Object.fromEntries(results) });
  });
  router.get('/metrics', async (_req, res, next) => {
    try {
      const text = await deps.registry.metrics();
      res.setHeader('Content-Type', deps.registry.contentType);
      res.end(text);
    } catch (error) {
      next(error);
    }
  });
  return router;
}

async function passes(check: () => Promise<boolean> | boolean): Promise<boolean> {
  try {
    return await withTimeout(checkTimeoutMs, Promise.resolve(check()), () => new Error('the check is late'));
  } catch {
    return false;
  }
}
