import type { ClientOptions as CommonOptions } from '../client-options.js';
import { createOperations } from '../create-operations.js';
import type { OperatorClient } from '../generated/operations.js';
import type { Route } from '../route.js';
import { createTransport } from '../transport.js';
import { allRoutes } from './all-routes.js';
import { answerFault } from './answer-fault.js';

/** Options of `createClient`; every one may be left out. */
export interface ClientOptions extends CommonOptions {
  /**
   * `X-Admin-Key`, sent to admin operations only. Never ship it with a page; a page of the service's own origin may ask the
   * operator for it and keep it in memory, as the desk does.
   */
  adminKey?: string;
  /** Bearer credential, sent to internal operations only. Never put it into a page. */
  cronSecret?: string;
}

/**
 * A typed client of the service at `baseUrl` (`https://fairlead.example`, or `''` for the page's own origin), for
 * browsers and Node, which validates every answer. Every answer that the contract lists, errors included, is a value
 * `{status, body, headers}`; `unwrap` turns errors into exceptions. A call rejects with UnexpectedAnswerError on any
 * other answer, with the path of the faulty value, RangeError on an empty path parameter, a DOMException named
 * `TimeoutError` after `timeoutMs`, the reason of `signal` when that aborts, and with what `fetch` throws where there is
 * no connection.
 */
export function createClient(baseUrl: string, options: ClientOptions = {}): OperatorClient {
  const { adminKey, cronSecret } = options;
  const credential = ({ access }: Route): Record<string, string> => {
    if (access === 'admin' && adminKey !== undefined) return { 'x-admin-key': adminKey };
    if (access === 'internal' && cronSecret !== undefined) return { authorization: `Bearer ${cronSecret}` };
    return {};
  };
  const transport = createTransport(baseUrl, options, { credential, faultOf: answerFault });
  return createOperations(allRoutes, transport, options) as unknown as OperatorClient;
}
