/**
 * `npm run bench -- [names…]`: measures, in one run on this machine, how the service compares with plainer things, and
 * prints the ratios. BENCH_SECONDS shortens or lengthens single measurements. docs/benchmarks.md explains the rows.
 * `npm run bench -- [names…] --against <checkout> [--rounds 3]` compares this checkout with another one instead.
 * `npm run bench:profile -- [names…]` (`--profile`) tells which functions of the service take the time of the main load.
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findMongod } from '../find-mongod.js';
import { type Compiled, compile } from '../lib/compile.js';
import { compareCheckouts, printComparison } from './lib/against.js';
import { type Bench, type BenchRun, runBench, timeLimitMs, usualSeconds } from './lib/bench.js';
import { significant, toTables } from './lib/figures.js';
import { profileArgs, readProfile } from './lib/profile.js';

const ownCheckout = fileURLToPath(new URL('../../', import.meta.url));
const say = (line: string) => console.error(line);

let running: BenchRun<unknown> | undefined;
const interrupted = new AbortController();

/** Every file beside this one is a bench, named as the file. */
async function chosenNames(asked: readonly string[]): Promise<string[]> {
  const files = await readdir(fileURLToPath(new URL('.', import.meta.url)));
  const names = files.flatMap((file) => (/^(?!main\.).+\.ts$/.test(file) ? [file.slice(0, -3)] : [])).sort();
  const unknown = asked.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`no bench ${unknown}; there are: ${names.join(', ')}`);
  return asked.length > 0 ? [...asked] : names;
}

/** Loads the compiled bench: code that is measured within the bench's own process must not run through tsx. */
async function load(name: string, compiled: Compiled): Promise<Bench> {
  const module: Partial<Bench> = await import(compiled.fileOf(`scripts/bench/${name}`));
  if (typeof module.run !== 'function')
    throw new Error(`scripts/bench/${name}.ts must export run, as scripts/bench/lib/bench.ts says`);
  return { ...module, run: module.run };
}

function secondsOf(text: string | undefined): number {
  const seconds = text === undefined || text === '' ? usualSeconds : Number(text);
  if (!(seconds > 0 && seconds <= 60)) throw new Error('BENCH_SECONDS must be above 0 and at most 60');
  return seconds;
}

/** A bench that fails makes the command fail, after the others have run. */
async function runEach(names: readonly string[], run: (name: string) => Promise<void>): Promise<void> {
  for (const name of names) {
    if (interrupted.signal.aborted) return;
    try {
      await run(name);
    } catch (error) {
      process.exitCode = 1;
      if (!interrupted.signal.aborted)
        say(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
}

interface Tools {
  seconds: number;
  compiled: Compiled;
  /** Removed in the end. */
  folder: string;
  /** False if all benches run. */
  areNamed: boolean;
}

async function withTools(
  names: readonly string[],
  areNamed: boolean,
  run: (name: string, tools: Tools) => Promise<void>,
) {
  const seconds = secondsOf(process.env.BENCH_SECONDS);
  // On a new machine MongoDB is downloaded here, and not in the time that a bench has.
  await findMongod();
  const compiled = await compile({ name: 'bench' });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  try {
    console.log(`Node ${process.version}, ${availableParallelism()} cores, measurements of ${seconds} s.`);
    await runEach(names, (name) => run(name, { seconds, compiled, folder, areNamed }));
  } finally {
    await compiled.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(name: string, tools: Tools): Promise<void> {
  const loaded = await load(name, tools.compiled);
  if (loaded.onlyWhenNamed && !tools.areNamed) return say(`${name}: runs only when it is named`);
  const limitMs = timeLimitMs(loaded, tools.seconds);
  const load1 = significant(loadavg()[0] ?? 0);
  say(`${name}: running (load ${load1}) …`);
  const startedAt = performance.now();
  const bench = runBench(name, loaded.run, { ...tools, limitMs, say });
  running = bench;
  const rows = await bench.rows;
  const tookSeconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`\n## ${name} (${tookSeconds} s, load before it ${load1})\n\n${toTables(rows)}`);
}

async function profile(name: string, tools: Tools): Promise<void> {
  say(`${name}: running under the profiler …`);
  const loaded = await load(name, tools.compiled);
  const limitMs = timeLimitMs(loaded, tools.seconds);
  const profiles = join(ownCheckout, '.cache', 'profiles', `${name}-${process.pid}`);
  await mkdir(profiles, { recursive: true });
  const serviceNodeArgs = profileArgs(profiles);
  const bench = runBench<unknown>(name, loaded.mainLoad ?? loaded.run, {
    ...tools,
    limitMs,
    say,
    serviceNodeArgs,
  });
  running = bench;
  await bench.rows;
  const { file, rows } = await readProfile(profiles, [tools.compiled.folder, ownCheckout]);
  console.log(`\n## ${name}: ${file}\n\n${toTables(rows)}`);
}

async function compare(names: readonly string[], against: string, rounds: number): Promise<void> {
  if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error('--rounds must be a number of rounds');
  const checkouts = { new: ownCheckout, old: resolve(against) };
  const { signal } = interrupted;
  await runEach(names, async (name) =>
    printComparison(name, rounds, await compareCheckouts({ name, checkouts, rounds, say, signal })),
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      against: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      profile: { type: 'boolean', default: false },
    },
  });
  const names = await chosenNames(positionals);
  const interrupt = () => {
    interrupted.abort();
    running?.stop().catch((error: unknown) => say(String(error)));
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  if (values.against === undefined)
    await withTools(names, positionals.length > 0, values.profile ? profile : measure);
  else await compare(names, values.against, Number(values.rounds));
}

await main();
