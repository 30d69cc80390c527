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
  const running = await startMongo();
  stopAfterRun(running);
  provideTestRun({ mongoUri: running.uri, runDir, answersDir });
}
