import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { productionFlags } from './compile.js';
import { isReady } from './local-service.js';
import { freePort } from './loopback-server.js';

/** A process of the service, which keeps its port. */
export interface Instance extends BreakableProcess {
  url: string;
}

/** @param program the compiled service */
export async function startInstances(options: {
  count: number;
  program: string;
  env: Readonly<Record<string, string>>;
  folder: string;
}): Promise<{ all: readonly Instance[]; stop(): Promise<void> }> {
  const { count, program, folder } = options;
  const all: Instance[] = [];
  for (let number = 1; number <= count; number += 1) {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const env = { PATH: process.env.PATH ?? '', ...options.env, PORT: port, PUBLIC_URL: url };
    const args = [...productionFlags, program];
    const own = { name: `instance-${number}`, folder, command: process.execPath, args, env };
    all.push({ ...breakable({ ...own, isUp: () => isReady(url) }), url });
  }
  const stop = async () => void (await Promise.all(all.map((instance) => instance.end('SIGKILL'))));
  try {
    await Promise.all(all.map((instance) => instance.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { all, stop };
}

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
    pid: () => child?.pid ?? 0,
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
