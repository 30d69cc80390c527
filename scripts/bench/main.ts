/**
 * `npm run bench -- [names…]`: measures, in one run on this machine, how the service compares with plainer things, and
 * prints the ratios. BENCH_SECONDS shortens or lengthens single measurements. docs/benchmarks.md tells what rows mean.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from './lib/bench.js';
import { type Compiled, compile } from './lib/compiled.js';
import { significant } from './lib/figures.js';
import { type BenchRun, type BenchSettings, runBench } from './lib/run-bench.js';
import { toTables } from './lib/table.js';

const usualSeconds = 3;
const limitMs = 120_000;
const say = (line: string) => console.error(line);

let running: BenchRun | undefined;
let interrupted = false;

/** Every file beside this one is a bench, named as the file. */
async function chosenNames(asked: readonly string[]): Promise<string[]> {
  const files = await readdir(fileURLToPath(new URL('.', import.meta.url)));
  const names = files.flatMap((file) => (/^(?!main\.).+\.ts$/.test(file) ? [file.slice(0, -3)] : [])).sort();
  const unknown = asked.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`no bench ${unknown}; there are: ${names.join(', ')}`);
  return asked.length > 0 ? [...asked] : names;
}

/** Compiled like the programs: what a bench measures within its own process is measured without tsx as well. */
async function load(name: string, compiled: Compiled): Promise<Bench> {
  const module: Partial<Bench> = await import(compiled.fileOf(`scripts/bench/${name}`));
  if (module.name !== name || typeof module.run !== 'function') {
    throw new Error(`scripts/bench/${name}.ts must export name and run, as scripts/bench/lib/bench.ts says`);
  }
  return { name, run: module.run };
}

async function runOne(name: string, settings: BenchSettings): Promise<void> {
  const busy = significant(loadavg()[0] ?? 0);
  say(`${name}: running (load ${busy}) …`);
  const startedAt = performance.now();
  running = runBench(await load(name, settings.compiled), settings);
  const rows = await running.rows;
  const tookSeconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`\n## ${name} (${tookSeconds} s, load before it ${busy})\n\n${toTables(rows)}`);
}

function secondsOf(text: string | undefined): number {
  const seconds = text === undefined || text === '' ? usualSeconds : Number(text);
  if (!(seconds > 0 && seconds <= 60)) throw new Error('BENCH_SECONDS must be above 0 and at most 60');
  return seconds;
}

function interrupt(): void {
  interrupted = true;
  running?.stop().catch((error: unknown) => say(String(error)));
}

/** A bench that cannot be run fails the command, after the others have been run. */
async function main(): Promise<void> {
  const seconds = secondsOf(process.env.BENCH_SECONDS);
  const names = await chosenNames(process.argv.slice(2));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const compiled = await compile();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  try {
    console.log(`Node ${process.version}, ${availableParallelism()} cores, measurements of ${seconds} s.`);
    for (const name of names) {
      if (interrupted) break;
      try {
        await runOne(name, { seconds, limitMs, compiled, folder, say });
      } catch (error) {
        process.exitCode = 1;
        if (!interrupted) say(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
      }
    }
  } finally {
    await compiled.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
