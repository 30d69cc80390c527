import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rateLimitClasses } from '../../contract/rate-limits.js';
import type { CannedAnswer } from './http/canned.js';
import {
  type Case,
  createMeasure,
  type Figures,
  forwardedFor,
  medians,
  type Target,
} from './http/measure.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { microseconds, ms, perSecond, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';

export const name = 'http';

const rates = '/api/rates/usdc-ngn';
const alive = '/healthz';
const limitOfRates = rateLimitClasses.rates.points;
const rounds = 3;
/** 2,048 over the connections: none comes near its limit while it is measured. */
const someClients = 64;
/** More than a connection sends: every request is the first of its client. */
const newClients = 1_000;
const refusedClient = '192.0.2.1';

const bareNode = 'bare node:http';
const bareExpress = 'bare Express';

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
  const canned = { [rates]: await sample(service.url + rates), [alive]: await sample(service.url + alive) };
  const file = join(context.folder, 'canned.json');
  await writeFile(file, JSON.stringify(canned));
  const node = await startBare(context, 'bare-node', file);
  const express = await startBare(context, 'bare-express', file);

  const measure = createMeasure({ seconds: context.seconds / rounds, mongodPid: mongo.pid });
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
  const lines: Line[] = [
    ...beside(cached, { path: rates, clients: someClients }),
    line(cached, 'each time a new client', service, { path: rates, clients: newClients }),
    {
      table: cached,
      what: 'a client that is refused (429)',
      async measure() {
        await useUp(service.url + rates, refusedClient);
        return measure(service, { path: rates, clients: refusedClient, expect: 429 });
      },
    },
    ...beside(`GET ${rates}, not modified (304)`, unchanged),
    ...beside(`GET ${alive}, which has no limit`, { path: alive, clients: someClients }),
  ];
  const results = await inTurns(
    rounds,
    Object.fromEntries(lines.map((each, place) => [place, each.measure])),
  );
  return toRows(lines.map((each, place) => ({ ...each, figures: medians(results[place] ?? []) })));
}

type Measured = Pick<Line, 'table' | 'what'> & { figures: Figures };

function toRows(measured: readonly Measured[]): BenchRow[] {
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

async function startBare(context: BenchContext, program: string, file: string): Promise<Target> {
  const started = await context.startProgram(`scripts/bench/http/${program}`, { args: [file] });
  return { ...started, url: `http://127.0.0.1:${await started.ready()}` };
}

/** What the service answers, for the bare servers to repeat; Node adds Date and Connection there as well. */
async function sample(url: string): Promise<CannedAnswer> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
  const headers = Object.fromEntries(answer.headers);
  for (const added of ['connection', 'date', 'keep-alive']) delete headers[added];
  return { body, headers };
}

async function useUp(url: string, client: string): Promise<void> {
  for (let n = 0; n <= limitOfRates; n += 1) {
    const answer = await fetch(url, forwardedFor(client));
    await answer.arrayBuffer();
    if (answer.status === 429) return;
  }
  throw new Error(`${client} was not refused after ${limitOfRates} requests`);
}
