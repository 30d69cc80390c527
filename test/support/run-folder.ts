import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const runsFolder = fileURLToPath(new URL('../../artifacts/test-runs/', import.meta.url));
const keptRuns = 5;

/** A folder of its own for one test run, under artifacts/test-runs; the oldest ones are removed. */
export function createRunFolder(): string {
  const startedAt = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const folder = join(runsFolder, `${startedAt}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(runsFolder).sort().slice(0, -keptRuns)) {
    rmSync(join(runsFolder, old), { recursive: true, force: true });
  }
  return folder;
}

/** What the tests of a run could not do on this machine, one JSON string a line. */
export function cannotRunFile(runDir: string): string {
  return join(runDir, 'cannot-run.jsonl');
}

/** Each reason once, in the order first met. */
export function readCannotRun(runDir: string): string[] {
  let text = '';
  try {
    text = readFileSync(cannotRunFile(runDir), 'utf8');
  } catch {
    // No such file: nothing was left out.
  }
  const reasons = text.split('\n').filter((line) => line !== '');
  return [...new Set(reasons.map((line) => String(JSON.parse(line))))];
}
