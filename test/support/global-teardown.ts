import { removeNoted } from './run-folder.js';
import { testRun } from './test-run.js';

interface Stoppable {
  stop(): Promise<void>;
}

const key = Symbol.for('fairlead.test-run');
// Jest may load this file twice, for the setup and for the teardown; both share the host's globals.
const host = globalThis as { [key]?: Stoppable };

export function stopAfterRun(running: Stoppable): void {
  host[key] = running;
}

export default async function teardown(): Promise<void> {
  await host[key]?.stop();
  removeNoted(testRun.runDir);
}
