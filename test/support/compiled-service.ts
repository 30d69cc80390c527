import { fileURLToPath } from 'node:url';
import { type Compiled, compile } from '../../scripts/lib/compile.js';
import { removeAfterRun } from './run-folder.js';
import { type Ended, runProgram } from './run-program.js';
import { testRun } from './test-run.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Kept until the run ends: tsx would cost seconds of processor time per start. */
let compiled: Promise<Compiled> | undefined;

/** The compiled file of a program, which is named without ending from the root of the project. */
export async function compiledFile(program: string): Promise<string> {
  compiled ??= compile({ name: 'test-service' }).then((done) => {
    removeAfterRun(testRun.runDir, done.folder);
    return done;
  });
  return (await compiled).fileOf(program);
}

/** Runs a command of the operator in a process of its own, with this environment alone. */
export async function runFairlead(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const program = await compiledFile('server/cli');
  const { PATH = '' } = process.env;
  return runProgram(process.execPath, [program, ...args], { cwd: root, env: { PATH, ...env } });
}
