import { setTimeout as delay } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { bareNode, record, startBare } from './lib/bare.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { compareLoads, type LoadLine } from './lib/compare-loads.js';
import { median, medianOf, ms, ratio, significant } from './lib/figures.js';
import type { Clients } from './lib/generator/requests.js';
import { inTurns } from './lib/in-turns.js';
import { type LimitOperations, openLimitOperations } from './lib/limit-operations.js';
import type { Target } from './lib/measure.js';
import { ratesPath as path, type ReadBench, startReadBench } from './lib/read-service.js';
import { type BareWindow, draw, prepareWindows } from './new-clients/draw.js';

const rounds = 5;
/** Requests a second on an idle machine. */
const idleRate = 50;
const idleClients = 20;
const withoutDraw = 'bare node:http, without a draw';
const sameDraw = 'bare node:http that draws';

/** The same requests of new clients, of the service alone. */
export async function mainLoad(context: BenchContext): Promise<void> {
  const { service, measure } = await startReadBench(context);
  await measure(service, { request: { path }, clients: { kind: 'new' }, seconds: context.seconds * 3 });
}

/** Requests of clients that were never there before, each of which draws from its limit in MongoDB. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const bench = await startReadBench(context);
  const recorded = { [path]: await record(bench.service.url + path) };
  const node = await startBare(context, bareNode, recorded);
  const drawing = await startBare(context, 'scripts/bench/new-clients/bare-draw', recorded, [bench.mongoUri]);
  const operations = await openLimitOperations(bench.mongoUri);
  context.onEnd('connection of the bench', operations.close);
  const seconds = context.seconds / rounds;

  const line = (what: string, target: Target): LoadLine => ({
    table: `GET ${path}, every request of a new client`,
    what,
    measure: () => bench.measure(target, { request: { path }, clients: { kind: 'new' }, seconds }),
  });
  const lines = [line(withoutDraw, node), line(sameDraw, drawing), line('this service', bench.service)];
  const references = { 'of one that draws': sameDraw };
  return [
    ...(await compareLoads(rounds, lines, { references, sameBytesAs: withoutDraw })),
    ...(await measureIdle(bench, operations, seconds)),
  ];
}

interface Idle {
  p50Ms: number;
  operationsPerRequest: number;
}

/** At a low rate: how long a client waits, and how many operations each request costs MongoDB. */
async function measureIdle(
  { service, measure }: ReadBench,
  operations: LimitOperations,
  seconds: number,
): Promise<BenchRow[]> {
  const visits = (clients: Clients) => async (): Promise<Idle> => {
    let before = 0;
    const figures = await measure(service, {
      request: { path },
      clients,
      seconds,
      perSecond: idleRate,
      connections: 4,
      warmUpSeconds: 0.2,
      onWarm: async () => {
        before = await operations.count();
      },
    });
    const asked = (await operations.count()) - before;
    return { p50Ms: figures.p50Ms, operationsPerRequest: asked / figures.answers };
  };
  const windows = operations.database.collection<BareWindow>('bare_windows');
  await prepareWindows(windows);
  const results = await inTurns<string, Idle>(rounds, {
    'a bare majority update': async () => ({
      p50Ms: await updateFor(windows, seconds),
      operationsPerRequest: 1,
    }),
    "a client's first request": visits({ kind: 'new' }),
    'its next requests': visits({ kind: 'returning', count: idleClients }),
  });
  const p50 = (name: string) => medianOf(results[name] ?? [], (each) => each.p50Ms);
  return Object.entries(results).map(([what, each]) => ({
    table: `an idle machine, ${idleRate} requests a second`,
    what,
    figures: {
      p50: ms(p50(what)),
      'of a bare update': ratio(p50(what), p50('a bare majority update')),
      'operations on limits per request': significant(
        medianOf(each, ({ operationsPerRequest }) => operationsPerRequest),
      ),
    },
  }));
}

/** The median latency of one draw after another, with the same pause between them. */
async function updateFor(windows: mongo.Collection<BareWindow>, seconds: number): Promise<number> {
  const latenciesMs: number[] = [];
  const endsAt = performance.now() + seconds * 1_000;
  do {
    await delay(1_000 / idleRate);
    const startedAt = performance.now();
    await draw(windows, `${process.pid}-${startedAt}`);
    latenciesMs.push(performance.now() - startedAt);
  } while (performance.now() < endsAt);
  return median(latenciesMs);
}
