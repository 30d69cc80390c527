import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { processCpuMs } from '../lib/program.js';
import type { EndpointCase } from './cases.js';
import type { EndpointRequest } from './client.js';
import type { WireCounts } from './wire.js';
import type { CapacityWorld } from './world.js';

/** What the service does when idle, per millisecond. */
export interface Idle {
  wire: WireCounts;
  serviceMs: number;
  mongodMs: number;
}

/** What one request costs, on average. */
export interface Cost {
  wire: WireCounts;
  sentBytes: number;
  receivedBytes: number;
  serviceMs: number;
  /** NaN if mongod's time, counted in steps of 10 ms, was too short to measure. */
  mongodMs: number;
  /** How many more documents each collection has afterwards; negative if it has fewer. */
  documents: Record<string, number>;
}

interface Reading {
  atMs: number;
  wire: WireCounts;
  serviceMs: number;
  mongodMs: number;
  bytes: { sent: number; received: number };
}

const atOnce = 4;
/** The answers of one client: fewer than any limit grants, so that its first request has drawn the points of all. */
const perClient = 10;
/** Change streams, deliveries and what else a request sets off. */
const settlingMs = 250;
const leastMongodMs = 40;
/** Fewer commands per request than this are left out: one unusual answer in forty must not clutter a row. */
const least = 0.025;
/** The same for commands that the service also sends when idle, which vary more than what is subtracted for them. */
const leastOfIdle = 0.5;

export async function measureIdle(world: CapacityWorld, ms: number): Promise<Idle> {
  const before = await read(world);
  await delay(ms);
  const after = await read(world);
  const tookMs = after.atMs - before.atMs;
  return {
    wire: scaled(difference(after.wire, before.wire), 1 / tookMs),
    serviceMs: (after.serviceMs - before.serviceMs) / tookMs,
    mongodMs: (after.mongodMs - before.mongodMs) / tookMs,
  };
}

/** Sends the requests of a case from clients that have been there before, and takes off what the service does anyway. */
export async function measureCase(world: CapacityWorld, idle: Idle, endpoint: EndpointCase): Promise<Cost> {
  const requests = await endpoint.prepare(world, endpoint.requests);
  const addresses = endpoint.fromNewClients
    ? requests.map(() => world.newAddress())
    : await welcomed(world, requests);
  const few = pLimit(atOnce);
  const send = (place: number) =>
    few(() => world.client.send(requests[place] as EndpointRequest, addresses[place] ?? ''));
  const places = [...requests.keys()];
  const spans: { before: Reading; after: Reading }[] = [];
  const documents: Record<string, number> = {};
  for (const batch of endpoint.beforeEach === undefined ? [places] : places.map((place) => [place])) {
    await endpoint.beforeEach?.(world);
    const documentsBefore = await countDocuments(world);
    const before = await read(world);
    await Promise.all(batch.map(send));
    await delay(settlingMs);
    spans.push({ before, after: await read(world) });
    const more = differenceOf(await countDocuments(world), documentsBefore);
    for (const [name, count] of Object.entries(more)) documents[name] = (documents[name] ?? 0) + count;
  }
  await endpoint.after?.(world);
  return costOf(requests.length, spans, idle, documents);
}

/** An address for each request, whose client has drawn its points of this endpoint by a request that is refused. */
async function welcomed(world: CapacityWorld, requests: readonly EndpointRequest[]): Promise<string[]> {
  const addresses: string[] = [];
  for (const [place, request] of requests.entries()) {
    if (place % perClient > 0) {
      addresses.push(addresses[place - 1] as string);
      continue;
    }
    const address = world.newAddress();
    const separator = request.path.includes('?') ? '&' : '?';
    await world.client.send(
      { ...request, path: `${request.path}${separator}welcome=1`, isStream: false, expect: [400, 403] },
      address,
    );
    addresses.push(address);
  }
  return addresses;
}

async function read({ wire, service, mongodPid, client }: CapacityWorld): Promise<Reading> {
  const [counts, serviceMs, mongodMs] = await Promise.all([wire(), service.cpuMs(), processCpuMs(mongodPid)]);
  return { atMs: performance.now(), wire: counts, serviceMs, mongodMs, bytes: client.bytes() };
}

async function countDocuments({ connection }: CapacityWorld): Promise<Record<string, number>> {
  const database = connection.getClient().db(connection.name);
  const collections = await database.listCollections({}, { nameOnly: true }).toArray();
  const counts = await Promise.all(
    collections.map(async ({ name }) => [name, await database.collection(name).countDocuments()] as const),
  );
  return Object.fromEntries(counts);
}

function costOf(
  requests: number,
  spans: readonly { before: Reading; after: Reading }[],
  idle: Idle,
  documents: Record<string, number>,
): Cost {
  const sum = (pick: (reading: Reading) => number) =>
    spans.reduce((total, { before, after }) => total + pick(after) - pick(before), 0);
  const tookMs = sum(({ atMs }) => atMs);
  const mongodMs = sum((reading) => reading.mongodMs) - idle.mongodMs * tookMs;
  const passed = spans.map(({ before, after }) => difference(after.wire, before.wire)).reduce(added, {});
  const own = scaled(difference(passed, scaled(idle.wire, tookMs)), 1 / requests);
  return {
    wire: Object.fromEntries(
      Object.entries(own).filter(
        ([command, { commands }]) => commands >= (command in idle.wire ? leastOfIdle : least),
      ),
    ),
    sentBytes: sum(({ bytes }) => bytes.sent) / requests,
    receivedBytes: sum(({ bytes }) => bytes.received) / requests,
    serviceMs: (sum((reading) => reading.serviceMs) - idle.serviceMs * tookMs) / requests,
    mongodMs: mongodMs < leastMongodMs ? Number.NaN : mongodMs / requests,
    documents: Object.fromEntries(Object.entries(documents).map(([name, count]) => [name, count / requests])),
  };
}

const nothing = { commands: 0, sentBytes: 0, receivedBytes: 0 };

function combined(a: WireCounts, b: WireCounts, sign: 1 | -1): WireCounts {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [one, other] = [a[name] ?? nothing, b[name] ?? nothing];
      return [
        name,
        {
          commands: one.commands + sign * other.commands,
          sentBytes: one.sentBytes + sign * other.sentBytes,
          receivedBytes: one.receivedBytes + sign * other.receivedBytes,
        },
      ];
    }),
  );
}

const added = (a: WireCounts, b: WireCounts) => combined(a, b, 1);
export const difference = (a: WireCounts, b: WireCounts) => combined(a, b, -1);

export function scaled(counts: WireCounts, factor: number): WireCounts {
  return Object.fromEntries(
    Object.entries(counts).map(([name, { commands, sentBytes, receivedBytes }]) => [
      name,
      {
        commands: commands * factor,
        sentBytes: sentBytes * factor,
        receivedBytes: receivedBytes * factor,
      },
    ]),
  );
}

function differenceOf(after: Record<string, number>, before: Record<string, number>): Record<string, number> {
  const entries = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(entries.filter(([, count]) => count !== 0));
}
