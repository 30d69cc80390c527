import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startMongo } from '../../scripts/mongod/replica-set.js';
import { stopAfterRun } from './global-teardown.js';
import { createRunFolder } from './run-folder.js';
import { provideTestRun } from './test-run.js';

/** Once per run: one MongoDB replica set (MONGODB_URI is respected) and a folder for what the run leaves behind. */
export default async function setup(): Promise<void> {
  const runDir = createRunFolder();
  const answersDir = join(runDir, 'answers');
  mkdirSync(answersDir);
  const running = await startMongo();
  stopAfterRun(running);
  provideTestRun({ mongoUri: running.uri, runDir, answersDir });
}
