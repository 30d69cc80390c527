import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const upWithinMs = 90_000;

/** A process that may be killed, frozen, stopped and started again; what it prints goes to a file of the folder. */
export type BreakableProcess = ReturnType<typeof breakable>;

export function breakable(of: {
  name: string;
  folder: string;
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  isUp(): Promise<boolean>;
}) {
  const { name, folder, command, args, env, isUp } = of;
  let child: ChildProcess | undefined;
  const hasEnded = () => child === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    name,
    /** Resolves when it is up. */
    async start(): Promise<void> {
      const log = openSync(join(folder, `${name}.log`), 'a');
      child = spawn(command, args, { stdio: ['ignore', log, log], ...(env === undefined ? {} : { env }) });
      closeSync(log);
      for (const deadline = Date.now() + upWithinMs; !(await isUp()); await delay(50)) {
        if (hasEnded()) throw new Error(`${name} ended at its start: see its log in ${folder}`);
        if (Date.now() > deadline) throw new Error(`${name} was not up in ${upWithinMs / 1_000} s`);
      }
    },
    /** Resolves to the exit code or signal. */
    async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | NodeJS.Signals | null> {
      if (child === undefined) return null;
      if (!hasEnded()) {
        const exit = once(child, 'exit');
        child.kill(signal);
        // A frozen process ends only after it continues.
        child.kill('SIGCONT');
        await exit;
      }
      return child.exitCode ?? child.signalCode;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}
