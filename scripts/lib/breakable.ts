import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const upWithinMs = 90_000;
const endWithinMs = 20_000;

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
  const { name, folder, command, args, env = process.env, isUp } = of;
  let child: ChildProcess | undefined;
  const hasEnded = () => child === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    name,
    pid: () => child?.pid ?? 0,
    hasEnded,
    /** Resolves when it is up. */
    async start(): Promise<void> {
      const log = openSync(join(folder, `${name}.log`), 'a');
      // A separate session: Ctrl-C reaches the whole foreground group, and the database has to stop last.
      child = spawn(command, args, { stdio: ['ignore', log, log], env, detached: true });
      closeSync(log);
      for (const deadline = Date.now() + upWithinMs; !(await isUp()); await delay(50)) {
        if (hasEnded()) throw new Error(`${name} ended at its start: see its log in ${folder}`);
        if (Date.now() > deadline) throw new Error(`${name} was not up in ${upWithinMs / 1_000} s`);
      }
    },
    /** Resolves to the exit code or signal; kills it where it does not end in time. */
    async end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number | NodeJS.Signals | null> {
      if (child === undefined || hasEnded()) return child?.exitCode ?? child?.signalCode ?? null;
      const exit = once(child, 'exit');
      child.kill(signal);
      // A frozen process ends only after it continues.
      child.kill('SIGCONT');
      const kill = setTimeout(() => child?.kill('SIGKILL'), endWithinMs);
      await exit;
      clearTimeout(kill);
      return child.exitCode ?? child.signalCode;
    },
    /** Calls the listener once when it ends. */
    onEnd: (listener: () => void) => void child?.once('exit', listener),
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}
