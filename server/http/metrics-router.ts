import { Router } from 'express';
import type { Registry } from 'prom-client';
import { createCache } from '../cache/cache.js';
import type { Clock } from '../ports.js';
import { requireBearer } from './authenticate.js';
import { type PreparedText, prepareText, sendPrepared } from './prepared-text.js';

/** The metrics are rendered once in this time at most: rendering blocks the event loop for some milliseconds. */
const renderedForMs = 1_000;

/** `/metrics` for Prometheus; with `tokens`, only for those who have one. */
export function createMetricsRouter(deps: {
  registry: Registry;
  tokens: readonly string[];
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
}): Router {
  const { registry, tokens, stopwatch = () => performance.now() } = deps;
  const rendered = createCache<void, PreparedText>({
    load: async () => prepareText(await registry.metrics()),
    freshMs: renderedForMs,
    clock: stopwatch,
  });
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/metrics', async (req, res, next) => {
    try {
      if (tokens.length > 0) requireBearer(req, res, tokens, 'the metrics token');
      const text = await rendered.get();
      res.setHeader('Content-Type', registry.contentType);
      res.setHeader('Cache-Control', 'no-store');
      await sendPrepared(req, res, text);
    } catch (error) {
      next(error);
    }
  });
  return router;
}
