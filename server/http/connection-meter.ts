import { Counter, Gauge, type Registry } from 'prom-client';
import type { ConnectionMeter } from './listen.js';

export function createConnectionMeter(registry: Registry): ConnectionMeter {
  const open = new Gauge({
    name: 'fairlead_http_connections',
    help: 'Connections of clients that are open.',
    registers: [registry],
  });
  const refused = new Counter({
    name: 'fairlead_http_connections_refused_total',
    help: 'Connections that were closed at once, because MAX_CONNECTIONS were open.',
    registers: [registry],
  });
  return { opened: () => open.inc(), closed: () => open.dec(), refused: () => refused.inc() };
}
