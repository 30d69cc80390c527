import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { withTimeout } from '../../../server/with-timeout.js';
import type { Answer } from './programs/answer-questions.js';
import { cpuQuestion, type MemoryReading, memoryQuestion } from './programs/probe.js';

export interface ProgramOptions {
  args?: readonly string[];
  /** Beside PATH and HOME: nothing else of the surrounding environment reaches the program. */
  env?: Record<string, string>;
  /** For Node itself, such as `--max-old-space-size=256`. */
  nodeArgs?: readonly string[];
}

/** A program of ours in a process of its own. */
export interface Program {
  pid: number;
  /** What the program sent first (`process.send`), once it was up. */
  ready(): Promise<unknown>;
  /** What the program answers to a word (`answerQuestion`). */
  ask(question: string): Promise<unknown>;
  /** Milliseconds of processor time that its threads have spent so far. */
  cpuMs(): Promise<number>;
  /** Collects all garbage first, which takes a while. */
  memory(): Promise<MemoryReading>;
  /** Rejects with what it wrote to stderr when the program ends without having been asked to. */
  crashed: Promise<never>;
  /** Asks it to end (SIGTERM), and insists after 10 s. */
  stop(): Promise<void>;
}

const answerTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;
const keptErrorText = 4_000;

/** Starts a compiled file under Node with the probe loaded before it and a channel to it. */
export function startProgram(
  files: { program: string; probe: string },
  options: ProgramOptions = {},
): Program {
  const { args = [], env = {}, nodeArgs = [] } = options;
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(
    process.execPath,
    ['--expose-gc', ...nodeArgs, '--import', files.probe, files.program, ...args],
    { env: { PATH, HOME, ...env }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] },
  );
  const name = basename(files.program);
  const late = () => new Error(`${name} did not answer in ${answerTimeoutMs / 1000} s`);
  let errorText = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    errorText = (errorText + bytes.toString('utf8')).slice(-keptErrorText);
  });
  const crashed = once(child, 'close').then(([code]) => {
    throw new Error(`${name} ended with ${code}: ${errorText}`);
  });
  crashed.catch(() => undefined);
  const inTime = <T>(work: Promise<T>) => withTimeout(answerTimeoutMs, Promise.race([work, crashed]), late);
  const first = nextMessage(child, (message) => !isAnswer(message));

  async function ask(question: string): Promise<unknown> {
    const answer = nextMessage(child, (message) => isAnswer(message) && message.question === question);
    child.send(question);
    return ((await inTime(answer)) as Answer).value;
  }

  return {
    pid: child.pid ?? 0,
    crashed,
    ready: () => inTime(first),
    ask,
    cpuMs: async () => (await ask(cpuQuestion)) as number,
    memory: async () => (await ask(memoryQuestion)) as MemoryReading,
    stop: () => stop(child),
  };
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'question' in message;
}

function nextMessage(child: ChildProcess, wanted: (message: unknown) => boolean): Promise<unknown> {
  return new Promise((resolve) => {
    const onMessage = (message: unknown) => {
      if (!wanted(message)) return;
      child.off('message', onMessage);
      resolve(message);
    };
    child.on('message', onMessage);
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const insist = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await closed;
  clearTimeout(insist);
}
