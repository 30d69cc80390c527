import type { AppRoute, AppRouter } from '@ts-rest/core';
import { z } from 'zod';
import { contract } from '../../contract.js';
import type { RouteMetadata } from '../../describe-route.js';
import type { Route, RouteTable } from '../route.js';

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
