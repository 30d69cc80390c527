import { type RequestHandler, Router } from 'express';
import type { Registry } from 'prom-client';
import { requireBearer } from './authenticate.js';
import { staticAnswer } from './static-answer.js';

/** The metrics are rendered once in this time at most: rendering blocks the event loop for some milliseconds. */
const renderedForMs = 1_000;

/** `/metrics` for Prometheus; with `tokens`, only for those who have one. */
export function createMetricsRouter(deps: { registry: Registry; tokens: readonly string[] }): Router {
  const { registry, tokens } = deps;
  let rendered: Promise<RequestHandler> | undefined;
  const forget = () => {
    rendered = undefined;
  };
  const render = async () => {
    const text = await registry.metrics();
    return staticAnswer(() => text, { type: registry.contentType, cacheControl: 'no-store' });
  };
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/metrics', async (req, res, next) => {
    try {
      if (tokens.length > 0) requireBearer(req, res, tokens, 'the metrics token');
      rendered ??= render().finally(() => setTimeout(forget, renderedForMs).unref());
      (await rendered)(req, res, next);
    } catch (error) {
      next(error);
    }
  });
  return router;
}
