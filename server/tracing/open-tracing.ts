import type { Logger } from '../ports.js';
import type { TracingSettings } from './settings.js';
import { noTracing, type Tracing } from './tracing.js';

/** Loads OpenTelemetry only if tracing is configured. */
export async function openTracing(settings: TracingSettings | undefined, logger: Logger): Promise<Tracing> {
  if (settings === undefined) return noTracing;
  const { createTracing } = await import('./create-tracing.js');
  return createTracing(settings, logger);
}
