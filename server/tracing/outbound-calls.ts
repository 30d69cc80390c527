import { type Outbound, OutboundError } from '../outbound/outbound.js';
import { type Attributes, currentSpan, inSpan } from './span.js';
import type { StartTrace } from './start-trace.js';

export interface OutboundTrace {
  /** The purpose of the call, as in the metrics. */
  purpose: string;
  /** Whether the call carries the header `traceparent`. */
  told: boolean;
}

/** Neither path nor query is recorded: those of anchors name transactions, and those of webhooks may hold secrets. */
export function traceOutbound(startTrace: StartTrace, call: Outbound, trace: OutboundTrace): Outbound {
  return async (request) => {
    const { method = 'GET' } = request;
    const attributes: Attributes = {
      'http.request.method': method,
      ...addressOf(request.url),
      'fairlead.purpose': trace.purpose,
    };
    const cause = currentSpan();
    // Work that continues after its request was answered, such as the renewal of a cached value, gets its own trace.
    const span = cause?.isOpen()
      ? cause.startChild(method, 'client', attributes)
      : startTrace(method, 'client', { attributes, linkTo: cause?.traceparent });
    const { traceparent } = span;
    const told = trace.told ? { ...request, headers: { ...request.headers, traceparent } } : request;
    try {
      const answer = await inSpan(span, () => call(told));
      span.set({ 'http.response.status_code': answer.status });
      span.end(answer.status >= 400 ? String(answer.status) : undefined);
      return answer;
    } catch (error) {
      span.end(error instanceof OutboundError ? error.failure : 'error');
      throw error;
    }
  };
}

function addressOf(text: string): Attributes {
  if (!URL.canParse(text)) return {};
  const { protocol, hostname, port } = new URL(text);
  const secure = protocol === 'https:';
  return {
    'url.scheme': secure ? 'https' : 'http',
    'server.address': hostname,
    'server.port': port === '' ? (secure ? 443 : 80) : Number(port),
  };
}
