import { setTimeout as delay } from 'node:timers/promises';
import { difference, scaled } from './capacity/measure.js';
import type { WireCount, WireCounts } from './capacity/wire.js';
import type { BenchContext, BenchRow, ServiceProcess } from './lib/bench.js';
import { percent, significant } from './lib/figures.js';
import { processCpuMs } from './lib/program.js';

export const limitMs = 600_000;

/** The numbers of instances to measure. */
const numbers = [1, 2, 4];
const hourMs = 3_600_000;
/** Starts, first refreshes, and the first samples of the rates. */
const settlingMs = 15_000;

interface Measured {
  /** Counts per hour. */
  wire: WireCounts;
  /** Share of one core. */
  service: number;
  mongod: number;
}

/** The requests that instances send to MongoDB while they are idle, with the scheduler on in all of them. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongod = await context.startMongo();
  const anchors = await context.startAnchors();
  const wire = await context.startProgram('scripts/bench/capacity/wire', { args: [mongod.uri] });
  const uri = String(await wire.ready());
  const counts = async () => (await wire.ask('counts')) as WireCounts;
  const services: ServiceProcess[] = [];
  const measured: Measured[] = [];
  for (const number of numbers) {
    while (services.length < number)
      services.push(
        await context.startService({
          ...anchors.env,
          MONGODB_URI: uri,
          SCHEDULER: 'on',
          PUBLISHER_SECRET_KEY: '5b'.repeat(32),
        }),
      );
    await delay(settlingMs, undefined, { signal: context.signal });
    context.say(`measuring ${number} …`);
    // The refresh runs once a minute.
    measured.push(await measure(services, mongod.pid, counts, context.seconds * 20_000));
  }
  return [...wireRows(measured), ...processorRows(measured)];
}

async function measure(
  services: readonly ServiceProcess[],
  mongodPid: number | undefined,
  counts: () => Promise<WireCounts>,
  ms: number,
): Promise<Measured> {
  const read = async () => ({
    atMs: performance.now(),
    wire: await counts(),
    serviceMs: (await Promise.all(services.map((each) => each.cpuMs()))).reduce((sum, each) => sum + each, 0),
    mongodMs: await processCpuMs(mongodPid),
  });
  const before = await read();
  await delay(ms);
  const after = await read();
  const tookMs = after.atMs - before.atMs;
  return {
    wire: scaled(difference(after.wire, before.wire), hourMs / tookMs),
    service: (after.serviceMs - before.serviceMs) / tookMs / services.length,
    mongod: (after.mongodMs - before.mongodMs) / tookMs,
  };
}

function wireRows(measured: readonly Measured[]): BenchRow[] {
  const commands = [...new Set(measured.flatMap(({ wire }) => Object.keys(wire)))].sort();
  const total = 'all of them';
  const lines = [...commands, total].map((command) => {
    const counts = measured.map(({ wire }) => (command === total ? sumOf(wire) : wire[command]));
    return {
      command,
      counts: counts.map((count) => count ?? { commands: 0, sentBytes: 0, receivedBytes: 0 }),
    };
  });
  return lines
    .filter(({ counts }) => counts.some((count) => count.commands > 0))
    .map(({ command, counts }) => ({
      table: 'operations of MongoDB in an hour, by the number of instances',
      what: command,
      figures: {
        ...Object.fromEntries(
          counts.map((count, place) => [String(numbers[place]), significant(Math.round(count.commands))]),
        ),
        'a further instance': significant(Math.round(furtherOf(counts, 'commands'))),
        'kB to MongoDB, a further one': significant(Math.round(furtherOf(counts, 'sentBytes') / 1_000)),
        'kB from it': significant(Math.round(furtherOf(counts, 'receivedBytes') / 1_000)),
      },
    }));
}

/** The increase per further instance, from the first number to the last. */
function furtherOf(counts: readonly WireCount[], what: keyof WireCount): number {
  const [first, last] = [counts[0]?.[what] ?? 0, counts.at(-1)?.[what] ?? 0];
  return (last - first) / ((numbers.at(-1) ?? 1) - (numbers[0] ?? 0));
}

function sumOf(wire: WireCounts): WireCount {
  const sum = { commands: 0, sentBytes: 0, receivedBytes: 0 };
  for (const { commands, sentBytes, receivedBytes } of Object.values(wire)) {
    sum.commands += commands;
    sum.sentBytes += sentBytes;
    sum.receivedBytes += receivedBytes;
  }
  return sum;
}

function processorRows(measured: readonly Measured[]): BenchRow[] {
  return measured.map(({ service, mongod }, place) => ({
    table: 'processor time of idle instances, of a core',
    what: `${numbers[place]} of them`,
    figures: { 'each of them': percent(service), mongod: percent(mongod) },
  }));
}
