import { allItems } from './all-items.js';
import { type Caller, createCaller } from './caller.js';
import type { ClientOptions } from './client-options.js';
import type { CallArguments, Route, RouteTable } from './route.js';
import type { StreamOptions } from './streams/stream-options.js';
import { createStreamer, type Streamer } from './streams/streamer.js';
import type { Transport } from './transport.js';

type Operation = (args?: CallArguments, options?: StreamOptions) => unknown;

/** A function for each route of the table, under the same keys; lists have `all`. */
export function createOperations(
  table: RouteTable,
  transport: Transport,
  { retry }: ClientOptions,
): Record<string, Record<string, Operation>> {
  const call = createCaller(transport, retry);
  const stream = createStreamer(transport);
  return mapValues(table, (group) => mapValues(group, (route) => createOperation(route, call, stream)));
}

function createOperation(route: Route, call: Caller, stream: Streamer): Operation {
  if (route.events !== undefined) return (args = {}, options) => stream(route, args, options);
  const operation = async (args: CallArguments = {}) => call(route, args);
  if (route.isList !== true) return operation;
  return Object.assign(operation, { all: (args?: CallArguments) => allItems(call, route, args) });
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
