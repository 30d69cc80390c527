import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMongod } from '../find-mongod.js';
import { compile } from '../lib/compile.js';
import { readOptions } from '../lib/local-service.js';
import { StartedParts } from '../lib/started-parts.js';
import * as intents from './intents.js';
import { type Bench, createContext } from './lib/context.js';
import { significant, toTables } from './lib/figures.js';
import * as newClients from './new-clients.js';
import * as reads from './reads.js';
import * as refresh from './refresh.js';
import * as webhooks from './webhooks.js';

const benches: Record<string, { run: Bench; onlyWhenNamed?: boolean }> = {
  reads,
  'new-clients': newClients,
  intents,
  refresh,
  webhooks,
};

const help = `npm run bench -- [${Object.keys(benches).join('] [')}]

Measures, in one run on this machine, how the service compares with plainer programs, and prints the ratios; all but
webhooks where none is named. docs/benchmarks.md explains the rows. In the environment:
  BENCH_SECONDS   how long one measurement lasts (3)`;

const say = (line: string) => console.error(line);

let parts = new StartedParts(say);
let isInterrupted = false;

type Tools = Omit<Parameters<typeof createContext>[0], 'say' | 'parts'>;

async function runOne(name: string, { run }: { run: Bench }, tools: Tools): Promise<void> {
  const load1 = significant(loadavg()[0] ?? 0);
  say(`${name}: running (load ${load1}) …`);
  const startedAt = performance.now();
  parts = new StartedParts(say);
  try {
    const rows = await run(createContext({ ...tools, say, parts }));
    const took = Math.round((performance.now() - startedAt) / 1_000);
    console.log(`\n## ${name} (${took} s, load before it ${load1})\n\n${toTables(rows)}`);
  } catch (error) {
    // The others run nevertheless.
    process.exitCode = 1;
    if (!isInterrupted) say(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await parts.stop();
  }
}

async function main(): Promise<void> {
  const { positionals } = readOptions(help, {});
  const unknown = positionals.find((name) => benches[name] === undefined);
  if (unknown !== undefined) throw new Error(`no bench ${unknown}\n\n${help}`);
  const seconds = Number(process.env.BENCH_SECONDS || 3);
  if (!(seconds > 0 && seconds <= 60)) throw new Error('BENCH_SECONDS must be above 0 and at most 60');
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      isInterrupted = true;
      void parts.stop();
    });
  // On a new machine MongoDB is downloaded here.
  await findMongod();
  const compiled = await compile({ name: 'bench' });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  try {
    console.log(`Node ${process.version}, ${availableParallelism()} cores, measurements of ${seconds} s.`);
    for (const [name, bench] of Object.entries(benches)) {
      const isAsked = positionals.length === 0 ? bench.onlyWhenNamed !== true : positionals.includes(name);
      if (isAsked && !isInterrupted) await runOne(name, bench, { seconds, compiled, folder });
    }
  } finally {
    await compiled.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
