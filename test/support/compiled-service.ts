import { fileURLToPath } from 'node:url';
import { type Compiled, compile } from '../../scripts/lib/compile.js';
import { removeAfterRun } from './run-folder.js';
import { type Ended, runProgram } from './run-program.js';
import { testRun } from './test-run.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What is compiled of each checkout, kept until the run ends: tsx would cost seconds of processor time per start. */
const compiledOf = new Map<string, Promise<Compiled>>();

/** The compiled file of a program of a checkout, which is named without ending from the root of the project. */
export async function compiledFile(program: string, checkout = root): Promise<string> {
  const compiled =
    compiledOf.get(checkout) ??
    compile({ name: 'test-service', root: checkout }).then((done) => {
      removeAfterRun(testRun.runDir, done.folder);
      return done;
    });
  compiledOf.set(checkout, compiled);
  compiled.catch(() => compiledOf.delete(checkout));
  return (await compiled).fileOf(program);
}

/** Runs a command of the operator in a process of its own, with this environment alone. */
export async function runFairlead(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const program = await compiledFile('server/cli');
  const { PATH = '' } = process.env;
  return runProgram(process.execPath, [program, ...args], { cwd: root, env: { PATH, ...env } });
}
