import { AsyncLocalStorage } from 'node:async_hooks';

/** Values of the semantic conventions: words and numbers of the service, never text of a client. */
export type Attributes = Record<string, string | number | boolean>;

/** `server`: a request to us; `client`: a call by us; `internal`: neither. */
export type SpanKind = 'server' | 'client' | 'internal';

/** One piece of work in a trace. */
export interface Span {
  readonly traceId: string;
  /** In the form of W3C Trace Context, for whoever goes on with the trace. */
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

/** One in the process, as Node's own context is: it would otherwise have to be handed to every store. */
const spans = new AsyncLocalStorage<Span | undefined>();

/** The span of the work under way. Always undefined while tracing is off. */
export function currentSpan(): Span | undefined {
  return spans.getStore();
}

/** Does the work, and whatever that starts, in this span; or, with undefined, outside of any. */
export function inSpan<T>(span: Span | undefined, work: () => T): T {
  return spans.run(span, work);
}
