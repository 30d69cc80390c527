import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { execaNode, type Message } from 'execa';
import { withTimeout } from '../../../server/timing.js';
import type { Answer } from './programs/answer-questions.js';
import {
  cpuQuestion,
  type MemoryReading,
  memoryQuestion,
  type ObjectsReading,
  objectsQuestion,
  type ResourcesReading,
  resourcesQuestion,
} from './programs/probe-questions.js';

export interface ProgramOptions {
  args?: readonly string[];
  /** Added to PATH and HOME; the program gets no other variable of the environment. */
  env?: Record<string, string>;
  /** Arguments for Node itself, such as `--max-old-space-size=256`. */
  nodeArgs?: readonly string[];
}

/** One of our programs in a process of its own. */
export interface Program {
  pid: number;
  /** The first message of the program (`process.send`), once it is up. */
  ready(): Promise<unknown>;
  /** What the program answers to a question (`answerQuestion`), within a minute if no other limit is given. */
  ask(question: string, about?: unknown, limitMs?: number): Promise<unknown>;
  /** Milliseconds of processor time that its threads have spent so far. */
  cpuMs(): Promise<number>;
  /** Collects all garbage first, which takes a while. */
  memory(): Promise<MemoryReading>;
  resources(): Promise<ResourcesReading>;
  /** Walks the whole heap, which takes a while. */
  objects(): Promise<ObjectsReading>;
  /** Rejects with the program's stderr if it ends without having been stopped. */
  crashed: Promise<never>;
  /** Sends SIGTERM, and SIGKILL 10 s later. */
  stop(): Promise<void>;
}

export const answerTimeoutMs = 60_000;
/** Several full collections of a large heap, on a machine that has other work. */
const collectionTimeoutMs = 300_000;
const stopTimeoutMs = 10_000;

/** Starts a compiled file under Node, with the probe loaded before it and a channel to it. */
export function startProgram(
  files: { program: string; probe: string },
  { args = [], env = {}, nodeArgs = [] }: ProgramOptions = {},
): Program {
  const { PATH = '', HOME = '' } = process.env;
  const child = execaNode(files.program, args, {
    nodeOptions: ['--expose-gc', ...nodeArgs, '--import', files.probe],
    env: { PATH, HOME, ...env },
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'ignore',
    ipc: true,
    reject: false,
    forceKillAfterDelay: stopTimeoutMs,
  });
  const name = basename(files.program);
  const crashed = child.then(({ exitCode, signal, stderr }) => {
    throw new Error(`${name} ended with ${exitCode ?? signal}: ${String(stderr).slice(-4_000)}`);
  });
  crashed.catch(() => undefined);
  const late = () => new Error(`${name} did not answer in time`);
  const inTime = <T>(work: Promise<T>, limitMs = answerTimeoutMs) =>
    withTimeout(limitMs, Promise.race([work, crashed]), late);
  const first = child.getOneMessage({ filter: (message) => !isAnswer(message), reference: false });
  first.catch(() => undefined);

  async function ask(question: string, about?: unknown, limitMs?: number): Promise<unknown> {
    const answer = (async () =>
      child.getOneMessage({ filter: (message) => isAnswer(message) && message.question === question }))();
    const asked = (async () =>
      child.sendMessage({ ask: question, ...(about === undefined ? {} : { about: about as Message }) }))();
    // If the program has ended, its stderr says more than that the channel is closed.
    const [{ value }] = (await inTime(
      Promise.all([answer, asked]).catch(() => crashed),
      limitMs,
    )) as unknown as [Answer];
    return value;
  }

  return {
    pid: child.pid ?? 0,
    crashed,
    ready: () => inTime(first),
    ask,
    cpuMs: async () => (await ask(cpuQuestion)) as number,
    memory: async () => (await ask(memoryQuestion, undefined, collectionTimeoutMs)) as MemoryReading,
    resources: async () => (await ask(resourcesQuestion)) as ResourcesReading,
    objects: async () => (await ask(objectsQuestion, undefined, collectionTimeoutMs)) as ObjectsReading,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
}

function isAnswer(message: Message | unknown): message is Message & Answer {
  return typeof message === 'object' && message !== null && 'question' in message;
}

/** Linux counts a process's time in ticks of this length, whatever its kernel was built with. */
const tickMs = 10;

/** Milliseconds of processor time of any process, in steps of 10 ms; NaN where the system has no /proc. */
export async function processCpuMs(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return Number.NaN;
  // The name before the last parenthesis may hold anything; utime and stime are the 12th and 13th field after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Bytes that a process has in memory; NaN where the system has no /proc. Asks nothing of the process itself. */
export async function processRssBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) * 1_024;
}
