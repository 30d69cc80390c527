import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, openSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { withTimeout } from '../../../server/timing.js';
import { productionFlags } from '../../lib/node-flags.js';
import { isReady } from '../../lib/until-ready.js';

/** A process of the service that may be killed, stopped and started again on the same port. */
export interface Instance {
  name: string;
  url: string;
  /** Undefined while there is no process. */
  pid(): number | undefined;
  /** Resolves when it is ready. Rejects when it ends before that, or takes too long. */
  start(how?: { clockOffByMs?: number }): Promise<void>;
  /** Waits until a running instance is ready. */
  untilReady(): Promise<void>;
  /** Resolves to the exit code or signal once the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | NodeJS.Signals | null>;
  pause(): void;
  resume(): void;
  /** `none`: the process can open no further file and accept no further connection; `as before` ends this. */
  limitFiles(to: 'none' | 'as before'): Promise<void>;
  stop(): Promise<void>;
}

export interface InstanceOptions {
  name: string;
  /** The compiled program. */
  program: string;
  port: number;
  env: Readonly<Record<string, string>>;
  logFile: string;
}

const wrongClock = new URL('../../lib/shifted-clock.mjs', import.meta.url).href;
const readyTimeoutMs = 90_000;
/** The time that a process may take to finish its pending requests. */
const endTimeoutMs = 60_000;
/** The usual limit of systems without a setting of their own, which is enough for the load of a storm. */
const fewFiles = 1_024;

export function createInstance({ name, program, port, env, logFile }: InstanceOptions): Instance {
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const runs = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const note = (what: string) => appendFileSync(logFile, `--- ${what} at ${new Date().toISOString()}\n`);

  async function untilReady(): Promise<void> {
    const watched = child;
    const deadline = Date.now() + readyTimeoutMs;
    while (!(await isReady(url))) {
      if (child !== watched || !runs()) {
        throw new Error(`${name} ended with ${watched?.exitCode ?? watched?.signalCode}: see ${logFile}`);
      }
      if (Date.now() > deadline) {
        throw new Error(`${name} was not ready in ${readyTimeoutMs / 1000} s: see ${logFile}`);
      }
      await delay(50);
    }
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | NodeJS.Signals | null> {
    if (!runs() || child === undefined) return child?.exitCode ?? child?.signalCode ?? null;
    const ending = child;
    const ended = once(ending, 'exit');
    note(signal);
    ending.kill(signal);
    // A stopped process ends only after it continues.
    ending.kill('SIGCONT');
    const late = () => new Error(`${name} did not end in ${endTimeoutMs / 1000} s after ${signal}`);
    await withTimeout(endTimeoutMs, ended, late);
    return ending.exitCode ?? ending.signalCode;
  }

  return {
    name,
    url,
    pid: () => (runs() ? child?.pid : undefined),
    async start({ clockOffByMs } = {}) {
      if (runs()) throw new Error(`${name} runs already`);
      const log = openSync(logFile, 'a');
      const wrong = clockOffByMs === undefined ? [] : ['--import', wrongClock];
      const given = { PATH: process.env.PATH ?? '', ...env, PORT: String(port) };
      child = spawn(process.execPath, [...productionFlags, ...wrong, program], {
        stdio: ['ignore', log, log],
        env: clockOffByMs === undefined ? given : { ...given, SHIFT_CLOCK_MS: String(clockOffByMs) },
      });
      closeSync(log);
      note(`start${clockOffByMs === undefined ? '' : ` with the clock off by ${clockOffByMs} ms`}`);
      await untilReady();
    },
    untilReady,
    end,
    pause() {
      note('SIGSTOP');
      child?.kill('SIGSTOP');
    },
    resume() {
      note('SIGCONT');
      child?.kill('SIGCONT');
    },
    async limitFiles(to) {
      const { pid } = child ?? {};
      if (pid === undefined || !runs()) return;
      const count = to === 'none' ? lowestFreeDescriptor(pid) : fewFiles;
      note(`may open descriptors below ${count}`);
      await execa('prlimit', [`--pid=${pid}`, `--nofile=${count}:`]);
    },
    async stop() {
      await end('SIGKILL');
    },
  };
}

/** Descriptors are numbered, and a limit bounds the numbers: one that is free below it could still be given out. */
function lowestFreeDescriptor(pid: number): number {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let number = 0;
  while (open.has(number)) number += 1;
  return number;
}
