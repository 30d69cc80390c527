import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type JobMeter, jobOutcomes } from '../jobs/scheduler.js';
import { type Outbound, OutboundError } from '../outbound/outbound.js';
import type { Clock, Logger } from '../ports.js';
import type { StreamMeter } from '../streams/places.js';
import { type Backlogs, registerBacklogs } from './backlog-gauges.js';
import { createConnectionMeter } from './connection-meter.js';
import type { ConnectionMeter } from './listen.js';
import type { RequestMeter } from './request-log.js';
import { createStreamMeter } from './stream-meter.js';

/** Prometheus metrics of one service instance, labelled by route template and never by text of a client. */
export interface Metrics {
  registry: Registry;
  requests: RequestMeter;
  /** The same connector, its calls counted by purpose and outcome. */
  countOutbound(outbound: Outbound, purpose: string): Outbound;
  /** Counts attempts and outcomes of webhook deliveries; both arguments are words of the contract. */
  webhooks: { attempted(outcome: string): void; settled(state: string): void };
  /** Counts requests for quotes by outcome. Anchors are those of the fleet file, outcomes are constants of the code. */
  quotes: {
    expects(anchor: string, outcomes: readonly string[]): void;
    asked(anchor: string, outcome: string): void;
  };
  jobs: JobMeter;
  connections: ConnectionMeter;
  streams: StreamMeter;
}

export interface MetricsDeps {
  limiterDegraded: () => boolean;
  /** How far the clock of this machine was ahead of the primary's at the last look. */
  machineAheadMs: () => number;
  droppedLogLines: () => number;
  backlogs: Backlogs;
  clock: Clock;
  logger: Logger;
}

export function createMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'fairlead_http_request_duration_seconds',
    help: 'Time from request to answer, by route template.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'fairlead_rate_limiter_degraded',
    help: '1 while this instance counts limits by itself, as the database does not answer or the clock is off.',
    registers: [registry],
    collect() {
      this.set(deps.limiterDegraded() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'fairlead_clock_offset_seconds',
    help: "How far the clock of this machine was ahead of the primary's at the last look; negative where it is behind.",
    registers: [registry],
    collect() {
      this.set(deps.machineAheadMs() / 1_000);
    },
  });
  new Counter({
    name: 'fairlead_log_lines_dropped_total',
    help: 'Log lines that were dropped because they could not be written.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(deps.droppedLogLines());
    },
  });
  const outboundCalls = new Counter({
    name: 'fairlead_outbound_calls_total',
    help: 'Calls to anchors, the FX reference, the ledger, the oracle and webhooks, by outcome.',
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
  const quotes = new Counter({
    name: 'fairlead_anchor_quotes_total',
    help: 'Questions for a quote that an anchor was asked, by outcome.',
    labelNames: ['anchor', 'outcome'] as const,
    registers: [registry],
  });
  registerBacklogs({ ...deps, registry });
  return {
    registry,
    requests: (labels, seconds) => requests.observe(labels, seconds),
    quotes: {
      // Starts at 0: Prometheus does not see an increase from nothing to 1.
      expects: (anchor, outcomes) => {
        for (const outcome of outcomes) quotes.inc({ anchor, outcome }, 0);
      },
      asked: (anchor, outcome) => quotes.inc({ anchor, outcome }),
    },
    jobs: jobMeter(registry, deps.clock),
    connections: createConnectionMeter(registry),
    streams: createStreamMeter(registry),
    webhooks: {
      attempted: (outcome) => webhookAttempts.inc({ outcome }),
      settled: (state) => webhookDeliveries.inc({ state }),
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

/** The label is not called `job`, because Prometheus adds a label of that name and would rename ours. */
function jobMeter(registry: Registry, clock: Clock): JobMeter {
  const runs = new Counter({
    name: 'fairlead_job_runs_total',
    help: 'Runs of scheduled jobs in this process, by outcome.',
    labelNames: ['task', 'outcome'] as const,
    registers: [registry],
  });
  const lastSuccess = new Gauge({
    name: 'fairlead_job_last_success_timestamp_seconds',
    help: 'When a scheduled job was last done by this process.',
    labelNames: ['task'] as const,
    registers: [registry],
  });
  return {
    // Starts at 0: Prometheus does not see an increase from nothing to 1.
    scheduled: (task) => {
      for (const outcome of jobOutcomes) runs.inc({ task, outcome }, 0);
    },
    ran: (task, outcome) => {
      runs.inc({ task, outcome });
      if (outcome === 'done') lastSuccess.set({ task }, clock() / 1_000);
    },
  };
}
