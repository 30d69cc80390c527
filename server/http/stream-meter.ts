import { Counter, Gauge, type Registry } from 'prom-client';
import { streamRefusals } from '../streams/places.js';
import { type StreamMeter, streamNames } from '../streams/streams.js';

/** The metrics of streams; `skipped` counts answers that slow readers missed. */
export type StreamMetrics = StreamMeter & { skipped(): void };

export function createStreamMeter(registry: Registry): StreamMetrics {
  const open = new Gauge({
    name: 'fairlead_streams',
    help: 'Streams of events that are open.',
    labelNames: ['stream'] as const,
    registers: [registry],
  });
  const events = new Counter({
    name: 'fairlead_stream_events_total',
    help: 'Events that were written to streams, without comments.',
    labelNames: ['stream'] as const,
    registers: [registry],
  });
  const skipped = new Counter({
    name: 'fairlead_stream_answers_skipped_total',
    help: 'Answers that readers of rates missed because they were slower than the changes.',
    registers: [registry],
  });
  const refused = new Counter({
    name: 'fairlead_streams_refused_total',
    help: 'Streams that were not opened, by the bound that was reached.',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  // Starts at 0: Prometheus does not see an increase from nothing to 1.
  for (const stream of streamNames) {
    open.set({ stream }, 0);
    events.inc({ stream }, 0);
  }
  for (const reason of streamRefusals) refused.inc({ reason }, 0);
  return {
    opened: (stream) => open.inc({ stream }),
    closed: (stream) => open.dec({ stream }),
    sent: (stream, count) => events.inc({ stream }, count),
    refused: (reason) => refused.inc({ reason }),
    skipped: () => skipped.inc(),
  };
}
