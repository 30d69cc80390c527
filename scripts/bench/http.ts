import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordedAnswer } from './http/bare.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { medianOf, microseconds, ms, perSecond, ratio } from './lib/figures.js';
import { linesInTurns } from './lib/in-turns.js';
import { clientAddresses, fire, forwardedFor, type LoadResult } from './lib/load.js';
import { processCpuMs } from './lib/program.js';

export const name = 'http';

const rates = '/api/rates/usdc-ngn';
const alive = '/healthz';
const limitOfRates = 90;
const rounds = 3;
const connections = 32;
/** 2,048 over the connections, so that none comes near its limit while it is measured. */
const someClients = 64;
/** More than a connection sends, so that every request is the first of its client. */
const newClients = 1_000;
const refusedClient = '192.0.2.1';

const bareNode = 'bare node:http';
const bareExpress = 'bare Express';

interface Target {
  url: string;
  /** Milliseconds of processor time it has spent. */
  cpuMs(): Promise<number>;
}

interface Case {
  path: string;
  expect?: number;
  headers?: Record<string, string>;
  /** How many addresses each connection goes through, new ones every time; or the one address of all requests. */
  clients: number | string;
}

/** Microseconds of processor time per request, of the target and of mongod; NaN where they are not known. */
type Figures = LoadResult & { cpu: number; mongodCpu: number };

interface Line {
  table: string;
  what: string;
  measure: () => Promise<Figures>;
}

/** This service beside a bare node:http server and a bare Express app that send the same bytes and headers. */
export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const anchors = await context.startAnchors();
  const service = await context.startService({ ...anchors.env, MONGODB_URI: mongo.uri });
  const recorded = {
    [rates]: await record(service.url + rates),
    [alive]: await record(service.url + alive),
  };
  const file = join(context.folder, 'recorded.json');
  await writeFile(file, JSON.stringify(recorded));
  const node = await startBare(context, 'node', file);
  const express = await startBare(context, 'express', file);

  const measure = createMeasure(context.seconds / rounds, mongo.pid);
  const line = (table: string, what: string, target: Target, asked: Case): Line => ({
    table,
    what,
    measure: () => measure(target, asked),
  });
  const beside = (table: string, asked: Case): Line[] => [
    line(table, bareNode, node, asked),
    line(table, bareExpress, express, asked),
    line(table, 'this service', service, asked),
  ];
  const cached = `GET ${rates}, cached`;
  const unchanged = { path: rates, clients: someClients, expect: 304, headers: { 'if-none-match': '*' } };
  const refused = line(cached, 'a client that is refused (429)', service, {
    path: rates,
    clients: refusedClient,
    expect: 429,
  });
  const measured = await linesInTurns<Figures, Line>(rounds, [
    ...beside(cached, { path: rates, clients: someClients }),
    line(cached, 'each time a new client', service, { path: rates, clients: newClients }),
    {
      ...refused,
      async measure() {
        await useUp(service.url + rates, refusedClient);
        return refused.measure();
      },
    },
    ...beside(`GET ${rates}, not modified (304)`, unchanged),
    ...beside(`GET ${alive}, which has no limit`, { path: alive, clients: someClients }),
  ]);
  return toRows(measured.map(({ table, what, results }) => ({ table, what, figures: medians(results) })));
}

function createMeasure(seconds: number, mongodPid: number | undefined) {
  let used = 0;
  return async (target: Target, { path, expect = 200, headers = {}, clients }: Case): Promise<Figures> => {
    const cpuMs = () => Promise.all([target.cpuMs(), processCpuMs(mongodPid)]);
    const before = await cpuMs();
    const result = await fire({
      url: target.url + path,
      seconds,
      connections,
      expect,
      headers,
      requests: () => {
        if (typeof clients === 'string') return [forwardedFor(clients)];
        used += clients;
        return clientAddresses(used, clients).map(forwardedFor);
      },
    });
    const after = await cpuMs();
    const perRequest = (place: 0 | 1) => ((after[place] - before[place]) * 1_000) / result.requests;
    return { ...result, cpu: perRequest(0), mongodCpu: perRequest(1) };
  };
}

function medians(rounds: readonly Figures[]): Figures {
  const of = (pick: keyof Figures) => medianOf(rounds, (round) => round[pick]);
  return {
    requests: of('requests'),
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpu: of('cpu'),
    mongodCpu: of('mongodCpu'),
  };
}

function toRows(measured: readonly { table: string; what: string; figures: Figures }[]): BenchRow[] {
  return measured.map(({ table, what, figures }) => {
    const of = (bare: string) =>
      measured.find((other) => other.table === table && other.what === bare)?.figures;
    const node = of(bareNode);
    const express = of(bareExpress);
    if (node === undefined || express === undefined) throw new Error(`nothing to compare with in ${table}`);
    return {
      table,
      what,
      figures: {
        requests: perSecond(figures.perSecond),
        'of node:http': ratio(figures.perSecond, node.perSecond),
        'of Express': ratio(figures.perSecond, express.perSecond),
        p50: ms(figures.p50Ms),
        p99: ms(figures.p99Ms),
        'p99, of Express': ratio(figures.p99Ms, express.p99Ms),
        processor: microseconds(figures.cpu),
        'processor, of Express': ratio(figures.cpu, express.cpu),
        mongod: microseconds(figures.mongodCpu),
      },
    };
  });
}

async function startBare(context: BenchContext, kind: string, file: string): Promise<Target> {
  const started = await context.startProgram('scripts/bench/http/bare', { args: [kind, file] });
  return { ...started, url: `http://127.0.0.1:${await started.ready()}` };
}

/** An answer of the service for the bare servers to repeat, without the headers that Node adds there as well. */
async function record(url: string): Promise<RecordedAnswer> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
  const headers = Object.fromEntries(answer.headers);
  for (const added of ['connection', 'date', 'keep-alive']) delete headers[added];
  return { body, headers };
}

/** Sends requests of this client until it is refused. */
async function useUp(url: string, client: string): Promise<void> {
  for (let count = 0; count <= limitOfRates; count += 1) {
    const answer = await fetch(url, forwardedFor(client));
    await answer.arrayBuffer();
    if (answer.status === 429) return;
  }
  throw new Error(`${client} was not refused after ${limitOfRates} requests`);
}
