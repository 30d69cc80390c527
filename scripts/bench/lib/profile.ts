import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchRow } from './bench.js';
import { percent } from './figures.js';

/** The part of V8's format that is read here. */
interface CpuProfile {
  nodes: { id: number; callFrame: CallFrame }[];
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

interface CallFrame {
  functionName: string;
  url: string;
  /** Both count from 0. */
  lineNumber: number;
  columnNumber: number;
}

interface SelfTime {
  callFrame: CallFrame;
  micros: number;
}

const shown = 25;
/** Functions that are not work: the process waited, or V8 does not know. */
const waiting = new Set(['(idle)', '(root)']);

/** For Node: writes a profile into this folder when the process ends. */
export function profileArgs(folder: string): string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500'];
}

/**
 * The functions that took most time themselves, of the profile in the folder with the most work: other threads write
 * profiles of their own.
 */
export async function readProfile(
  folder: string,
  roots: readonly string[],
): Promise<{ file: string; rows: BenchRow[] }> {
  const profiles = await Promise.all(
    (await readdir(folder))
      .filter((file) => file.endsWith('.cpuprofile'))
      .map(async (file) => ({ file: join(folder, file), times: selfTimes(await read(join(folder, file))) })),
  );
  const [busiest] = profiles.sort((a, b) => total(b.times) - total(a.times));
  if (busiest === undefined) throw new Error(`the service wrote no profile into ${folder}`);
  const all = total(busiest.times);
  const rows = busiest.times.slice(0, shown).map(({ callFrame, micros }) => ({
    table: `the ${shown} functions with the most time of their own`,
    what: callFrame.functionName || '(anonymous)',
    figures: { self: percent(micros / all), where: placeOf(callFrame, roots) },
  }));
  return { file: busiest.file, rows };
}

async function read(file: string): Promise<CpuProfile> {
  return JSON.parse(await readFile(file, 'utf8')) as CpuProfile;
}

/** Self times by function, the longest first. */
function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): SelfTime[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, SelfTime>();
  samples.forEach((id, place) => {
    const callFrame = frames.get(id);
    if (callFrame === undefined || waiting.has(callFrame.functionName)) return;
    const key = `${callFrame.functionName} ${callFrame.url} ${callFrame.lineNumber}`;
    const time = times.get(key) ?? { callFrame, micros: 0 };
    time.micros += timeDeltas[place] ?? 0;
    times.set(key, time);
  });
  return [...times.values()].sort((a, b) => b.micros - a.micros);
}

function total(times: readonly SelfTime[]): number {
  return times.reduce((sum, { micros }) => sum + micros, 0);
}

/** The line of the source, where the compiled file has a map to it; relative to the first of the roots that holds it. */
function placeOf({ url, lineNumber, columnNumber }: CallFrame, roots: readonly string[]): string {
  if (!url.startsWith('file:')) return url;
  const path = fileURLToPath(url);
  const shorten = (file: string, line: number) => {
    const root = roots.find((each) => file.startsWith(each)) ?? '/';
    return `${relative(root, file)}:${line + 1}`;
  };
  if (!existsSync(`${path}.map`)) return shorten(path, lineNumber);
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const entry = map.findEntry(lineNumber, columnNumber);
  if (!('originalSource' in entry)) return shorten(path, lineNumber);
  return shorten(join(dirname(path), entry.originalSource), entry.originalLine);
}
