import { createOutageLog } from '../outage-log.js';
import type { Logger } from '../ports.js';
import { withTimeout } from '../timing.js';
import { traceCommands } from './commands.js';
import { createInJob } from './jobs.js';
import { createTraceSource } from './open-telemetry.js';
import { traceOutbound } from './outbound-calls.js';
import { createRequestTraces } from './requests.js';
import type { TracingSettings } from './settings.js';
import { inSpan } from './span.js';
import { tracedLog } from './traced-log.js';
import type { Tracing } from './tracing.js';

/** A collector that does not answer must not keep a service from stopping. */
const flushMs = 1_500;

export function createTracing(settings: TracingSettings, logger: Logger): Tracing {
  const collector = createOutageLog({
    says: {
      failed: 'the collector takes no spans; they are dropped until it does',
      worked: 'the collector takes spans again',
    },
    clock: () => performance.now(),
    logger,
  });
  const fields = { collector: new URL(settings.url).origin };
  const source = createTraceSource(settings, (error) => {
    if (error === undefined) collector.worked('', fields);
    else collector.failed('', { ...fields, err: error });
  });
  const { startTrace } = source;
  return {
    requests: createRequestTraces(startTrace),
    inJob: createInJob(startTrace),
    ofOutbound: (call, trace) => traceOutbound(startTrace, call, trace),
    async resume({ traceparent, name, attributes }, work) {
      const span = startTrace(name, 'internal', { attributes, parent: traceparent });
      try {
        const result = await inSpan(span, work);
        span.end();
        return result;
      } catch (error) {
        span.end('error');
        throw error;
      }
    },
    watchCommands: traceCommands,
    ofLog: tracedLog,
    async stop() {
      const late = () => new Error(`the last spans were not taken within ${flushMs} ms`);
      await withTimeout(flushMs, source.stop(), late).catch((error: unknown) =>
        collector.failed('', { ...fields, err: error }),
      );
    },
  };
}
