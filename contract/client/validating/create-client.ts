import type { AppRoute, AppRouter } from '@ts-rest/core';
import { z } from 'zod';
import { contract } from '../../contract.js';
import type { RouteMetadata } from '../../describe-route.js';
import type { ClientOptions as CommonOptions } from '../client-options.js';
import { createOperations } from '../create-operations.js';
import type { OperatorClient } from '../generated/operations.js';
import type { Route, RouteTable } from '../route.js';
import { createTransport } from '../transport.js';
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

/** The operations of the contract, those of the operator included, as a client calls them. */
export const allRoutes: RouteTable = mapValues(contract as AppRouter, (group) =>
  mapValues(group as Record<string, AppRoute>, toRoute),
);

function toRoute({ method, path, responses, metadata }: AppRoute): Route {
  const { operationId, access, stream } = metadata as RouteMetadata;
  const success = responses[200];
  return {
    operationId,
    method,
    path,
    statuses: Object.keys(responses).map(Number),
    ...(success instanceof z.ZodObject && 'nextCursor' in success.shape ? { isList: true } : {}),
    ...(stream === undefined ? {} : { events: [stream.event, ...(stream.problems ? ['problem'] : [])] }),
    ...(access === 'admin' || access === 'internal' ? { access } : {}),
  };
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
