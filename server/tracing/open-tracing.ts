import type { Logger } from '../ports.js';
import type { TracingSettings } from './settings.js';
import { noTracing, type Tracing } from './tracing.js';

/** Nothing of OpenTelemetry is loaded unless it is asked for. */
export async function openTracing(settings: TracingSettings | undefined, logger: Logger): Promise<Tracing> {
  if (settings === undefined) return noTracing;
  const { createTracing } = await import('./create-tracing.js');
  return createTracing(settings, logger);
}
