import type { ClientOptions } from './client-options.js';
import { createOperations } from './create-operations.js';
import type { Client } from './generated/operations.js';
import { routes } from './generated/routes.js';
import { createTransport } from './transport.js';

/**
 * A small typed client of the service at `baseUrl` (`https://fairlead.example`, or `''` for the page's own origin), for
 * browsers and Node, with every operation that takes no credential of the operator. Every answer that the contract
 * lists, errors included, is a value `{status, body, headers}`; `unwrap` turns errors into exceptions. A call rejects with
 * UnexpectedAnswerError on any other answer, RangeError on an empty path parameter, a DOMException named `TimeoutError`
 * after `timeoutMs`, the reason of `signal` when that aborts, and with what `fetch` throws where there is no connection.
 * The form of bodies is not validated: `createClient` of `@fairlead/contract` does that.
 */
export function createClient(baseUrl: string, options: ClientOptions = {}): Client {
  const transport = createTransport(baseUrl, options);
  return createOperations(routes, transport, options) as unknown as Client;
}
