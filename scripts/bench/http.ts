import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CannedAnswer } from './http/canned.js';
import type { BenchContext, BenchRow } from './lib/bench.js';
import { median, microseconds, ms, perSecond, ratio } from './lib/figures.js';
import { inTurns } from './lib/in-turns.js';
import { clientAddresses, fire, type LoadRequest, type LoadResult } from './lib/load.js';
import type { Program } from './lib/program.js';

export const name = 'http';

const ratesPath = '/api/rates/usdc-ngn';
const connections = 32;
const rounds = 3;
/** So that no client reaches its 90 requests a minute within one measurement. */
const clientsOfConnection = 64;

interface Target {
  program: Program;
  url: string;
}

type Measured = LoadResult & { cpuMicrosPerRequest: number };

export async function run(context: BenchContext): Promise<BenchRow[]> {
  const mongo = await context.startMongo();
  const anchors = await context.startAnchors();
  const service = await context.startService({ ...anchors.env, MONGODB_URI: mongo.uri });
  const canned = {
    [ratesPath]: await sample(service.url + ratesPath),
    '/healthz': await sample(`${service.url}/healthz`),
  };
  const file = join(context.folder, 'canned.json');
  await writeFile(file, JSON.stringify(canned));
  const bare = async (program: string): Promise<Target> => {
    const started = await context.startProgram(program, { args: [file] });
    return { program: started, url: `http://127.0.0.1:${await started.ready()}` };
  };
  const targets = {
    node: await bare('scripts/bench/http/bare-node'),
    express: await bare('scripts/bench/http/bare-express'),
    service: { program: service, url: service.url },
  };
  let clients = 0;
  const measure = async (
    target: Target,
    path: string,
    options: { clients?: number; expect?: number; headers?: Record<string, string> } = {},
  ): Promise<Measured> => {
    const each = options.clients ?? clientsOfConnection;
    const requests = (): LoadRequest[] => {
      const addresses = clientAddresses(clients, each);
      clients += each;
      return addresses.map((address) => ({ headers: { 'x-forwarded-for': address } }));
    };
    const before = await target.program.cpuMs();
    const result = await fire({
      url: target.url + path,
      seconds: context.seconds / rounds,
      connections,
      expect: options.expect ?? 200,
      headers: options.headers ?? {},
      requests,
    });
    const after = await target.program.cpuMs();
    return { ...result, cpuMicrosPerRequest: ((after - before) * 1_000) / result.requests };
  };
  const rows: BenchRow[] = [];
  const compare = async (table: string, path: string, options = {}) => {
    const results = await inTurns<'node' | 'express' | 'service', Measured>(rounds, {
      node: () => measure(targets.node, path, options),
      express: () => measure(targets.express, path, options),
      service: () => measure(targets.service, path, options),
    });
    rows.push(
      toRow(table, 'bare node:http', results.node, results),
      toRow(table, 'bare Express', results.express, results),
      toRow(table, 'this service', results.service, results),
    );
  };
  await compare('GET rates, cached', ratesPath);
  await compare('GET rates, cached, each request from a new client', ratesPath, { clients: 600 });
  await compare('healthz', '/healthz');
  return rows;
}

function toRow(
  table: string,
  what: string,
  results: readonly Measured[],
  all: { node: Measured[]; express: Measured[] },
): BenchRow {
  const of = (list: readonly Measured[], pick: (one: Measured) => number) => median(list.map(pick));
  const rate = of(results, (r) => r.perSecond);
  return {
    table,
    what,
    figures: {
      requests: perSecond(rate),
      'of node': ratio(
        rate,
        of(all.node, (r) => r.perSecond),
      ),
      'of Express': ratio(
        rate,
        of(all.express, (r) => r.perSecond),
      ),
      p50: ms(of(results, (r) => r.p50Ms)),
      p99: ms(of(results, (r) => r.p99Ms)),
      processor: microseconds(of(results, (r) => r.cpuMicrosPerRequest)),
      'proc of Express': ratio(
        of(results, (r) => r.cpuMicrosPerRequest),
        of(all.express, (r) => r.cpuMicrosPerRequest),
      ),
    },
  };
}

async function sample(url: string): Promise<CannedAnswer> {
  const answer = await fetch(url, {
    headers: { 'accept-encoding': 'identity', 'x-forwarded-for': '10.255.255.1' },
  });
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`);
  const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
  const headers = Object.fromEntries(answer.headers);
  for (const added of ['connection', 'date', 'keep-alive']) delete headers[added];
  return { body, headers };
}
