import type { Attributes, Span, SpanKind } from './span.js';

/**
 * Starts a trace, or goes on with one that came from elsewhere.
 * @param from.parent a `traceparent` of our own making, whose trace this is part of, and whose sampling it has
 * @param from.linkTo a `traceparent` of anyone, which is only noted; a malformed one is as none
 */
export type StartTrace = (
  name: string,
  kind: SpanKind,
  from: { attributes: Attributes; parent?: string | undefined; linkTo?: string | string[] | undefined },
) => Span;
