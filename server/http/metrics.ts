import { Router } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createCache } from '../cache/cache.js';
import { type JobMeter, jobOutcomes } from '../jobs/scheduler.js';
import { type Outbound, OutboundError } from '../outbound/outbound.js';
import type { Clock, Logger } from '../ports.js';
import { refusals, type StreamMeter } from '../streams/streams.js';
import { requireBearer } from './authenticate.js';
import { type Backlogs, registerBacklogs } from './backlog-gauges.js';
import type { RequestMeter } from './request-log.js';
import { staticAnswer } from './static-answer.js';

export interface MetricsDeps {
  limiterDegraded: () => boolean;
  /** How far the clock of this machine was ahead of the primary's at the last look. */
  machineAheadMs: () => number;
  droppedLogLines: () => number;
  backlogs: Backlogs;
  clock: Clock;
  logger: Logger;
}

/** Prometheus metrics of one service instance, labelled by route template and never by text of a client. */
export function createMetrics(deps: MetricsDeps) {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  const readGauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });

  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'fairlead_http_request_duration_seconds',
    help: 'Time from request to answer, by route template.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const connections = gauge('fairlead_http_connections', 'Connections of clients that are open.');
  const refusedConnections = counter(
    'fairlead_http_connections_refused_total',
    'Connections that were closed at once, because MAX_CONNECTIONS were open.',
  );
  const streams = gauge('fairlead_streams', 'Streams of events that are open.');
  const refusedStreams = counter(
    'fairlead_streams_refused_total',
    'Streams that were not opened, by the bound that was reached, or that were displaced by one of another client.',
    'reason',
  );
  readGauge(
    'fairlead_rate_limiter_degraded',
    '1 while this instance counts limits by itself, as the database does not answer or the clock is off.',
    () => (deps.limiterDegraded() ? 1 : 0),
  );
  readGauge(
    'fairlead_clock_offset_seconds',
    "How far the clock of this machine was ahead of the primary's at the last look; negative where it is behind.",
    () => deps.machineAheadMs() / 1_000,
  );
  new Counter({
    name: 'fairlead_log_lines_dropped_total',
    help: 'Log lines that were dropped because they could not be written.',
    registers,
    collect() {
      this.reset();
      this.inc(deps.droppedLogLines());
    },
  });
  const outboundCalls = counter(
    'fairlead_outbound_calls_total',
    'Calls to anchors, the FX reference, the ledger, the oracle and webhooks, by outcome.',
    'purpose',
    'outcome',
  );
  const webhookDeliveries = counter(
    'fairlead_webhook_deliveries_total',
    'Webhook deliveries that came to an end, by state: delivered, refused or exhausted.',
    'state',
  );
  const quotes = counter(
    'fairlead_anchor_quotes_total',
    'Questions for a quote that an anchor was asked, by outcome.',
    'anchor',
    'outcome',
  );
  // The label is not called `job`, because Prometheus adds a label of that name and would rename ours.
  const jobRuns = counter(
    'fairlead_job_runs_total',
    'Runs of scheduled jobs in this process, by outcome.',
    'task',
    'outcome',
  );
  const lastSuccess = gauge(
    'fairlead_job_last_success_timestamp_seconds',
    'When a scheduled job was last done by this process.',
    'task',
  );
  registerBacklogs({ ...deps, registry });
  // What is counted later starts at 0, here and below: Prometheus does not see an increase from nothing to 1.
  for (const reason of refusals) refusedStreams.inc({ reason }, 0);

  const streamMeter: StreamMeter = {
    opened: () => streams.inc(),
    closed: () => streams.dec(),
    refused: (reason) => refusedStreams.inc({ reason }),
  };
  const jobMeter: JobMeter = {
    scheduled: (task) => {
      for (const outcome of jobOutcomes) jobRuns.inc({ task, outcome }, 0);
    },
    ran: (task, outcome) => {
      jobRuns.inc({ task, outcome });
      if (outcome === 'done') lastSuccess.set({ task }, deps.clock() / 1_000);
    },
  };
  const requestMeter: RequestMeter = (labels, seconds) => requests.observe(labels, seconds);
  return {
    registry,
    requests: requestMeter,
    connections: {
      opened: () => connections.inc(),
      closed: () => connections.dec(),
      refused: () => refusedConnections.inc(),
    },
    streams: streamMeter,
    jobs: jobMeter,
    /** Counts requests for quotes. Anchors are those of the fleet file, outcomes are constants of the code. */
    quotes: {
      expects: (anchor: string, outcomes: readonly string[]) => {
        for (const outcome of outcomes) quotes.inc({ anchor, outcome }, 0);
      },
      asked: (anchor: string, outcome: string) => quotes.inc({ anchor, outcome }),
    },
    /** The state is a word of the contract. */
    webhookEnded: (state: string) => webhookDeliveries.inc({ state }),
    /** The same connector, its calls counted by purpose and outcome. */
    countOutbound:
      (outbound: Outbound, purpose: string): Outbound =>
      async (request) => {
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

/** The metrics are rendered once in this time at most: rendering blocks the event loop for some milliseconds. */
const renderedForMs = 1_000;

/** `/metrics` for Prometheus; with `tokens`, only for those who have one. */
export function createMetricsRouter(deps: { registry: Registry; tokens: readonly string[] }): Router {
  const { registry, tokens } = deps;
  const rendered = createCache({
    async load() {
      const text = await registry.metrics();
      return staticAnswer(() => text, { type: registry.contentType, cacheControl: 'no-store' });
    },
    freshMs: renderedForMs,
    clock: () => performance.now(),
  });
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/metrics', async (req, res, next) => {
    try {
      if (tokens.length > 0) requireBearer(req, res, tokens, 'the metrics token');
      (await rendered.get())(req, res, next);
    } catch (error) {
      next(error);
    }
  });
  return router;
}
