import type { RequestHandler } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Prometheus metrics of one service instance; labelled by route template, never by a client's text. */
export interface Metrics {
  registry: Registry;
  observeRequests: RequestHandler;
  /** Counts upstream calls by anchor and outcome. */
  upstreamCalls: Counter<'anchor' | 'outcome'>;
  /** Counts webhook attempts by outcome. */
  webhookAttempts: Counter<'outcome'>;
}

export function createMetrics(deps: { limiterDegraded: () => boolean }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'fairlead_http_request_duration_seconds',
    help: 'Time from request to answer, by route template.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'fairlead_rate_limiter_degraded',
    help: '1 while rate limits are counted in this process because the database does not answer.',
    registers: [registry],
    collect() {
      this.set(deps.limiterDegraded() ? 1 : 0);
    },
  });
  return {
    registry,
    observeRequests: (req, res, next) => {
      const stop = duration.startTimer();
      res.once('close', () => {
        stop({
          method: knownMethod(req.method),
          route: req.route?.path ?? 'unmatched',
          status: res.statusCode,
        });
      });
      next();
    },
    upstreamCalls: new Counter({
      name: 'fairlead_upstream_calls_total',
      help: 'Calls to anchors, by anchor and outcome.',
      labelNames: ['anchor', 'outcome'] as const,
      registers: [registry],
    }),
    webhookAttempts: new Counter({
      name: 'fairlead_webhook_attempts_total',
      help: 'Webhook delivery attempts, by outcome.',
      labelNames: ['outcome'] as const,
      registers: [registry],
    }),
  };
}

/** A method is a client's text too: unknown ones share one label. */
function knownMethod(method: string): string {
  return ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'].includes(method) ? method : 'OTHER';
}
