import { runProgram } from './run-program.js';

/** Transactions, change streams and `$$NOW` exist before it, but nothing older is tested here or supported upstream. */
export const oldestMajor = 6;

export type BinaryCheck = { runs: true; version: string } | { runs: false; reason: string };

/** Whether this file is a mongod that runs here (libraries, processor, permissions) and is new enough. */
export async function checkBinary(path: string): Promise<BinaryCheck> {
  const { stdout, failure } = await runProgram(path, ['--version'], { timeoutMs: 10_000 });
  if (failure !== '') return { runs: false, reason: failure };
  return readVersion(stdout);
}

/** Reads the output of `mongod --version`. */
export function readVersion(output: string): BinaryCheck {
  const version = /^db version v(\d+\.\d+\.\d+)/m.exec(output)?.[1];
  if (version === undefined) return { runs: false, reason: 'does not answer --version as mongod does' };
  if (Number.parseInt(version, 10) < oldestMajor) {
    return { runs: false, reason: `is version ${version}, and ${oldestMajor}.0 is the oldest that will do` };
  }
  return { runs: true, version };
}
