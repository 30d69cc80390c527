import { Counter, Gauge, type Registry } from 'prom-client';
import { type ConnectionMeter, connectionEnds } from './connections.js';

export function createConnectionMeter(registry: Registry): ConnectionMeter {
  const open = new Gauge({
    name: 'fairlead_http_connections',
    help: 'Connections of clients that are open.',
    registers: [registry],
  });
  const ended = new Counter({
    name: 'fairlead_http_connections_cut_total',
    help: 'Connections of clients that were refused, or closed before their end, by reason.',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  // Starts at 0: Prometheus does not see an increase from nothing to 1.
  for (const reason of connectionEnds) ended.inc({ reason }, 0);
  return {
    opened: () => open.inc(),
    closed: () => open.dec(),
    ended: (reason) => ended.inc({ reason }),
  };
}
