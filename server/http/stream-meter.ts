import { Counter, Gauge, type Registry } from 'prom-client';
import { refusals, type StreamMeter } from '../streams/places.js';

/** The metrics of streams. */
export function createStreamMeter(registry: Registry): StreamMeter {
  const registers = [registry];
  const open = new Gauge({ name: 'fairlead_streams', help: 'Streams of events that are open.', registers });
  const refused = new Counter({
    name: 'fairlead_streams_refused_total',
    help: 'Streams that were not opened, by the bound that was reached, or that were displaced by one of another client.',
    labelNames: ['reason'] as const,
    registers,
  });
  // Starts at 0: Prometheus does not see an increase from nothing to 1.
  for (const reason of refusals) refused.inc({ reason }, 0);
  return {
    opened: () => open.inc(),
    closed: () => open.dec(),
    refused: (reason) => refused.inc({ reason }),
  };
}
