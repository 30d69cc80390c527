import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startMongo } from '../../scripts/mongod/replica-set.js';
import { createRunFolder } from './run-folder.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The replica set of this run; take a database of your own from it by testDatabase(). */
    mongoUri: string;
    /** A folder of this run's own, kept for a few runs. */
    runDir: string;
    /** Where the answers seen by HTTP tests are recorded, one file a test file. */
    answersDir: string;
  }
}

/** Once a run: one MongoDB replica set (MONGODB_URI is respected) and a folder for what the run leaves behind. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runDir = createRunFolder();
  const answersDir = join(runDir, 'answers');
  mkdirSync(answersDir);
  const running = await startMongo();
  project.provide('mongoUri', running.uri);
  project.provide('runDir', runDir);
  project.provide('answersDir', answersDir);
  return () => running.stop();
}
