import { setTimeout as delay } from 'node:timers/promises';
import type { EndpointRequest } from './client.js';
import { adminHeaders, type CapacityWorld } from './world.js';

/** One row of an endpoint: requests in one state of the service. */
export interface EndpointCase {
  /** The state: `kept`, `a new amount`. */
  state: string;
  requests: number;
  /** Each request comes from a client that was never there before, and draws from its limit. */
  fromNewClients?: boolean;
  /** Creates the requests; its own requests are not measured. */
  prepare(world: CapacityWorld, requests: number): Promise<EndpointRequest[]>;
  /** Runs before each request, which is then measured separately. */
  beforeEach?: (world: CapacityWorld) => Promise<unknown>;
  /** Runs when all of it is measured. */
  after?: (world: CapacityWorld) => Promise<unknown>;
}

/** Cases by operationId. */
export type EndpointCases = Record<string, readonly EndpointCase[]>;

const enough = 400;
const few = 8;
/** Time for the background work that an invalidation starts, so that it ends before the next request. */
const settlingMs = 300;

/** A read of one path: answered from what is kept, and after everything was invalidated. */
export function reads(path: string): EndpointCase[] {
  const prepare = async (_: CapacityWorld, requests: number) =>
    Array.from({ length: requests }, (): EndpointRequest => ({ method: 'GET', path, expect: [200] }));
  return [
    { state: 'kept', requests: enough, prepare },
    { state: 'after an invalidation', requests: few, prepare, beforeEach: invalidate },
  ];
}

async function invalidate(world: CapacityWorld): Promise<void> {
  await world.ask({
    method: 'POST',
    path: '/api/admin/cache/invalidate',
    headers: adminHeaders,
    body: {},
  });
  await delay(settlingMs);
}

/** Repeats the same request. */
export function same(request: EndpointRequest): EndpointCase['prepare'] {
  return async (_, requests) => Array.from({ length: requests }, () => request);
}

/** Each request made of its number. */
export function each(make: (number: number) => EndpointRequest): EndpointCase['prepare'] {
  return async (_, requests) => Array.from({ length: requests }, (_, number) => make(number));
}

/** For requests that are measured one by one with nothing to do before them. */
export const alone = async () => undefined;
