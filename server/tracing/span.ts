import { AsyncLocalStorage } from 'node:async_hooks';

/** Values of the semantic conventions: words and numbers of the service, never text of a client. */
export type Attributes = Record<string, string | number | boolean>;

/** `server`: a request to us; `client`: a call by us; `internal`: neither. */
export type SpanKind = 'server' | 'client' | 'internal';

/** One piece of work in a trace. */
export interface Span {
  readonly traceId: string;
  /** The span in the form of W3C Trace Context, with which its trace can be continued. */
  readonly traceparent: string;
  /** Whether it is sampled and has not ended. */
  isRecording(): boolean;
  /** Whether it has not ended, sampled or not. */
  isOpen(): boolean;
  startChild(name: string, kind: SpanKind, attributes: Attributes): Span;
  link(other: Span): void;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** @param failure one of few words that say what went wrong; undefined where nothing did */
  end(failure?: string): void;
}

/** One storage per process, like Node's own context; otherwise the span would have to be passed to every store. */
const spans = new AsyncLocalStorage<Span | undefined>();

/** The span of the work under way. Always undefined while tracing is off. */
export function currentSpan(): Span | undefined {
  return spans.getStore();
}

/** Runs the work, and everything that it starts, in this span or, with undefined, outside of any. */
export function inSpan<T>(span: Span | undefined, work: () => T): T {
  return spans.run(span, work);
}
