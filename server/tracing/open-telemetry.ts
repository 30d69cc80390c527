import {
  type Span as ApiSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from './settings.js';
import type { Attributes, SpanKind as Kind, Span } from './span.js';
import type { StartTrace } from './start-trace.js';

/** Twice the queue of the specification: two seconds of a busy instance. Further spans are dropped. */
const maxQueuedSpans = 4_096;
const sendEveryMs = 2_000;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** The one place that knows OpenTelemetry. It registers nothing globally, so a process may have several. */
export function createTraceSource(
  settings: TracingSettings,
  onSent: (error: Error | undefined) => void,
): { startTrace: StartTrace; stop(): Promise<void> } {
  const { url, headers, timeoutMs } = settings;
  const exporter = telling(new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs }), onSent);
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(settings.resource)),
    sampler: samplerOf(settings),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: maxQueuedSpans,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: timeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer('fairlead');

  function start(
    name: string,
    kind: Kind,
    parent: SpanContext | undefined,
    attributes: Attributes,
  ): OpenSpan {
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    return new OpenSpan(tracer.startSpan(name, { kind: kinds[kind], attributes }, context), start);
  }

  return {
    startTrace(name, kind, { attributes, parent, linkTo }) {
      const span = start(name, kind, contextOf(parent), attributes);
      const linked = contextOf(linkTo);
      if (linked !== undefined) span.linkTo(linked);
      return span;
    },
    stop: () => provider.shutdown(),
  };
}

/** Parses a `traceparent`; undefined if it is malformed. */
function contextOf(traceparent: string | string[] | undefined): SpanContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const context = parseTraceParent(traceparent);
  return context === null ? undefined : { ...context, isRemote: true };
}

class OpenSpan implements Span {
  readonly #span: ApiSpan;
  readonly #start: (name: string, kind: Kind, parent: SpanContext, attributes: Attributes) => Span;
  #open = true;

  constructor(
    span: ApiSpan,
    start: (name: string, kind: Kind, parent: SpanContext, attributes: Attributes) => Span,
  ) {
    this.#span = span;
    this.#start = start;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  isRecording(): boolean {
    return this.#span.isRecording();
  }

  isOpen(): boolean {
    return this.#open;
  }

  startChild(name: string, kind: Kind, attributes: Attributes): Span {
    return this.#start(name, kind, this.#span.spanContext(), attributes);
  }

  link(other: Span): void {
    const context = contextOf(other.traceparent);
    if (context !== undefined) this.linkTo({ ...context, isRemote: false });
  }

  linkTo(context: SpanContext): void {
    this.#span.addLink({ context });
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  end(failure?: string): void {
    this.#open = false;
    if (failure !== undefined) {
      this.#span.setAttribute('error.type', failure);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const root = rootSamplerOf(sampler.replace('parentbased_', ''), ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSamplerOf(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

/** The processor reports failures to a handler of the whole process; this exporter reports them to `onSent`. */
function telling(exporter: SpanExporter, onSent: (error: Error | undefined) => void): SpanExporter {
  return {
    export(spans: ReadableSpan[], done: (result: ExportResult) => void) {
      exporter.export(spans, ({ code, error }) => {
        const failed = code !== ExportResultCode.SUCCESS;
        onSent(failed ? (error ?? new Error('the spans were not taken')) : undefined);
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
