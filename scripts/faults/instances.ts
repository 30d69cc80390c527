import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../lib/free-port.js';
import { productionFlags } from '../lib/node-flags.js';
import { isReady } from '../lib/until-ready.js';

/** A process of the service that may be killed, frozen, stopped and started again on the same port. */
export interface Instance {
  name: string;
  url: string;
  /** Resolves when it is ready. */
  start(): Promise<void>;
  /** Resolves to the exit code or signal. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | NodeJS.Signals | null>;
  freeze(): void;
  resume(): void;
}

const readyWithinMs = 90_000;

/** @param program the compiled service */
export async function startInstances(options: {
  count: number;
  program: string;
  env: Readonly<Record<string, string>>;
  folder: string;
}): Promise<{ all: readonly Instance[]; stop(): Promise<void> }> {
  const { count, program, env, folder } = options;
  const all: Instance[] = [];
  for (let number = 1; number <= count; number += 1)
    all.push(createInstance(`instance-${number}`, await freePort(), program, env, folder));
  const stop = async () => void (await Promise.all(all.map((instance) => instance.end('SIGKILL'))));
  try {
    await Promise.all(all.map((instance) => instance.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { all, stop };
}

function createInstance(
  name: string,
  port: number,
  program: string,
  env: Readonly<Record<string, string>>,
  folder: string,
): Instance {
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const ended = () => child === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    name,
    url,
    async start() {
      const log = openSync(join(folder, `${name}.log`), 'a');
      child = spawn(process.execPath, [...productionFlags, program], {
        stdio: ['ignore', log, log],
        env: { PATH: process.env.PATH ?? '', ...env, PORT: String(port) },
      });
      closeSync(log);
      const deadline = Date.now() + readyWithinMs;
      while (!(await isReady(url))) {
        if (ended()) throw new Error(`${name} ended at its start: see its log in ${folder}`);
        if (Date.now() > deadline) throw new Error(`${name} was not ready in ${readyWithinMs / 1_000} s`);
        await delay(50);
      }
    },
    async end(signal) {
      if (child === undefined || ended()) return child?.exitCode ?? child?.signalCode ?? null;
      const exit = once(child, 'exit');
      child.kill(signal);
      // A frozen process ends only after it continues.
      child.kill('SIGCONT');
      await exit;
      return child.exitCode ?? child.signalCode;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}
