import { Gauge, type Registry } from 'prom-client';
import { createCache } from '../cache/cache.js';
import { isMongoUnavailable } from '../mongo/failures.js';
import type { Clock, Logger } from '../ports.js';
import { withTimeout } from '../timing.js';

const gauges = {
  openWebhookEvents: {
    name: 'fairlead_webhook_open_events',
    help: 'Events of which no deliveries have been made yet; 100000 means that or more.',
  },
  openWebhookDeliveries: {
    name: 'fairlead_webhook_open_deliveries',
    help: 'Webhook deliveries that have not come to an end, held ones included; 100000 means that or more.',
  },
  dueWebhookDeliveries: {
    name: 'fairlead_webhook_due_deliveries',
    help: 'Webhook deliveries that could be sent now and are not being sent; 100000 means that or more.',
  },
  pendingBatches: {
    name: 'fairlead_publisher_pending_batches',
    help: 'Published batches without a receipt of the oracle; 0 without an oracle.',
  },
  heldLog: {
    name: 'fairlead_publisher_log_held',
    help: '1 while ticks publish nothing, for the reason that publisher health gives; else 0.',
  },
  openDisputes: {
    name: 'fairlead_open_disputes',
    help: 'Disputes that await a verdict; 100000 means that or more.',
  },
  reputationMarks: {
    name: 'fairlead_reputation_marks',
    help: 'Changes of outcomes that are not counted in the reputation yet; 100000 means that or more.',
  },
} as const;

/** Functions that count the waiting work of each feature: up to a bound, and by an index. */
export type Backlogs = Record<keyof typeof gauges, () => Promise<number>>;

const readTimeoutMs = 500;
/** Counts are cached for this time: a flood of scrapes must not become a flood of counts. */
const keptMs = 5_000;

const late = new Error('the count is late');

/**
 * One gauge per backlog, read while the metrics are scraped; every instance shows the same number. A gauge that cannot
 * be read in 500 ms is left out of that scrape: an unknown number is not 0.
 */
export function registerBacklogs(deps: {
  registry: Registry;
  backlogs: Backlogs;
  logger: Logger;
  /** Monotonic milliseconds. */
  stopwatch?: Clock;
}): void {
  const { registry, backlogs, logger, stopwatch = () => performance.now() } = deps;
  const counts = createCache<keyof Backlogs, number>({
    load: (key) => backlogs[key](),
    freshMs: keptMs,
    clock: stopwatch,
  });
  for (const key of Object.keys(gauges) as (keyof Backlogs)[]) {
    new Gauge({
      ...gauges[key],
      registers: [registry],
      async collect() {
        try {
          this.set(await withTimeout(readTimeoutMs, counts.get(key), () => late));
        } catch (error) {
          this.remove();
          if (error === late || isMongoUnavailable(error)) return;
          logger.error({ err: error, metric: gauges[key].name }, 'a backlog cannot be counted');
        }
      },
    });
  }
}
