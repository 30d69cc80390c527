import type { Attributes, Span, SpanKind } from './span.js';

/**
 * Starts a trace, or continues one that began elsewhere.
 * @param from.parent a `traceparent` of our own making: the span joins its trace and takes over its sampling
 * @param from.linkTo a `traceparent` from anyone, which is only linked; a malformed one is ignored
 */
export type StartTrace = (
  name: string,
  kind: SpanKind,
  from: { attributes: Attributes; parent?: string | undefined; linkTo?: string | string[] | undefined },
) => Span;
