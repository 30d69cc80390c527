import type { IncomingMessage, RequestListener } from 'node:http';
import { isKnownMethod } from '../http/known-methods.js';
import { type Attributes, inSpan, type Span } from './span.js';
import type { StartTrace } from './start-trace.js';

/** A span for each request, whether it is answered by Express or before it. */
export interface RequestTraces {
  serve(handler: RequestListener): RequestListener;
  /**
   * Ends the span of a request. Returns the id of its trace, for the log.
   * @param route the template, or `unmatched`
   * @param status null if the client disconnected before the answer
   */
  answered(req: IncomingMessage, route: string, status: number | null): string | undefined;
}

/** Probes and scrapes come every few seconds and tell nothing. */
const untraced = /^\/(healthz|readyz|metrics)\b/;

export function createRequestTraces(startTrace: StartTrace): RequestTraces {
  const open = new WeakMap<IncomingMessage, Span>();
  return {
    serve: (handler) => (req, res) => {
      if (untraced.test(req.url ?? '')) return handler(req, res);
      const method = nameOf(req);
      const span = startTrace(method === '_OTHER' ? 'HTTP' : method, 'server', {
        attributes: { 'http.request.method': method, 'url.scheme': 'http' },
        // Never the parent: a stranger would choose the id of our trace, and with it whether it is sampled.
        linkTo: req.headers.traceparent,
      });
      open.set(req, span);
      inSpan(span, () => handler(req, res));
    },
    answered(req, route, status) {
      const span = open.get(req);
      if (span === undefined) return undefined;
      open.delete(req);
      const attributes: Attributes = {};
      if (route !== 'unmatched') {
        attributes['http.route'] = route;
        span.rename(`${nameOf(req)} ${route}`);
      }
      if (status !== null) attributes['http.response.status_code'] = status;
      span.set(attributes);
      span.end(failureOf(status));
      return span.traceId;
    },
  };
}

/** A refusal counts as the client's error, not as a failure of the service. */
function failureOf(status: number | null): string | undefined {
  if (status === null) return 'aborted';
  return status >= 500 ? String(status) : undefined;
}

/** The method, named by the conventions of OpenTelemetry. */
function nameOf({ method = '' }: IncomingMessage): string {
  return isKnownMethod(method) ? method : '_OTHER';
}
