import type { RequestHandler } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Outbound, OutboundError } from '../outbound/outbound.js';

/** Prometheus metrics of one service instance; labelled by route template, never by a client's text. */
export interface Metrics {
  registry: Registry;
  observeRequests: RequestHandler;
  /** The same connector, its calls counted by purpose and outcome. */
  countOutbound(outbound: Outbound, purpose: string): Outbound;
  /** Counts what becomes of webhook deliveries; both arguments are words of the contract. */
  webhooks: { attempted(outcome: string): void; settled(state: string): void };
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
  const outboundCalls = new Counter({
    name: 'fairlead_outbound_calls_total',
    help: 'Calls to anchors, the FX reference, the oracle and webhooks, by outcome.',
    labelNames: ['purpose', 'outcome'] as const,
    registers: [registry],
  });
  const webhookAttempts = new Counter({
    name: 'fairlead_webhook_attempts_total',
    help: 'POSTs to webhooks, by outcome.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const webhookDeliveries = new Counter({
    name: 'fairlead_webhook_deliveries_total',
    help: 'Webhook deliveries that came to an end, by state: delivered, refused or exhausted.',
    labelNames: ['state'] as const,
    registers: [registry],
  });
  return {
    registry,
    webhooks: {
      attempted: (outcome) => webhookAttempts.inc({ outcome }),
      settled: (state) => webhookDeliveries.inc({ state }),
    },
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
    countOutbound: (outbound, purpose) => async (request) => {
      try {
        const answer = await outbound(request);
        outboundCalls.inc({ purpose, outcome: `${Math.floor(answer.status / 100)}xx` });
        return answer;
      } catch (error) {
        outboundCalls.inc({ purpose, outcome: error instanceof OutboundError ? error.failure : 'error' });
        throw error;
      }
    },
  };
}

/** A method is a client's text too: unknown ones share one label. */
function knownMethod(method: string): string {
  return ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'].includes(method) ? method : 'OTHER';
}
