import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runsFolder = fileURLToPath(new URL('../../artifacts/test-runs/', import.meta.url));
const madeElsewhere = 'made-elsewhere.jsonl';
const keptRuns = 5;

/** A folder of its own for one test run, under artifacts/test-runs; the oldest ones are removed. */
export function createRunFolder(): string {
  const startedAt = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const folder = join(runsFolder, `${startedAt}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(runsFolder).sort().slice(0, -keptRuns)) {
    removeNoted(join(runsFolder, old));
    rmSync(join(runsFolder, old), { recursive: true, force: true });
  }
  return folder;
}

/** Notes a folder that this run made elsewhere, and that is of no use after it. */
export function removeAfterRun(runDir: string, folder: string): void {
  appendFileSync(join(runDir, madeElsewhere), `${JSON.stringify(folder)}\n`);
}

/** Removes what the run noted. A run that was killed leaves it to the one that removes the folder of that run. */
export function removeNoted(runDir: string): void {
  for (const folder of readLines(join(runDir, madeElsewhere)))
    rmSync(folder, { recursive: true, force: true });
}

/** What the tests of a run could not do on this machine, one JSON string a line. */
export function cannotRunFile(runDir: string): string {
  return join(runDir, 'cannot-run.jsonl');
}

/** Each reason once, in the order first met. */
export function readCannotRun(runDir: string): string[] {
  return [...new Set(readLines(cannotRunFile(runDir)))];
}

/** The strings of a file that has one on each line, as JSON; none where there is no such file. */
function readLines(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => String(JSON.parse(line)));
}
