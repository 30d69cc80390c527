import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startMongo } from '../../scripts/mongod/replica-set.js';
import { stopAfterRun } from './global-teardown.js';
import { createRunFolder } from './run-folder.js';
import { provideTestRun } from './test-run.js';

/** Runs once per run: starts one MongoDB replica set (or uses MONGODB_URI) and creates the folder of the run. */
export default async function setup(): Promise<void> {
  const runDir = createRunFolder();
  const answersDir = join(runDir, 'answers');
  mkdirSync(answersDir);
  // MongoDB would remove what has expired by the machine's clock; many tests have a clock that stands earlier.
  const running = await startMongo({ parameters: ['ttlMonitorEnabled=false'] });
  stopAfterRun(running);
  provideTestRun({ mongoUri: running.uri, runDir, answersDir });
}
