import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runsFolder = fileURLToPath(new URL('../../artifacts/test-runs/', import.meta.url));
const madeElsewhere = 'made-elsewhere.jsonl';
const keptRuns = 5;

/** Creates a folder for one test run under artifacts/test-runs, and removes the oldest ones. */
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

/** Notes a folder that this run made elsewhere and that has no use after the run. */
export function removeAfterRun(runDir: string, folder: string): void {
  appendFileSync(join(runDir, madeElsewhere), `${JSON.stringify(folder)}\n`);
}

/** Removes the noted folders. For a run that was killed, the run that removes its folder does this. */
export function removeNoted(runDir: string): void {
  for (const folder of readLines(join(runDir, madeElsewhere)))
    rmSync(folder, { recursive: true, force: true });
}

/** The things that the tests of a run could not do on this machine, as one JSON string per line. */
export function cannotRunFile(runDir: string): string {
  return join(runDir, 'cannot-run.jsonl');
}

/** Each reason once, in the order first met. */
export function readCannotRun(runDir: string): string[] {
  return [...new Set(readLines(cannotRunFile(runDir)))];
}

/** The JSON strings of a file, one per line; none where the file does not exist. */
function readLines(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => String(JSON.parse(line)));
}
