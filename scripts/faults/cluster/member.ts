import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { withTimeout } from '../../../server/timing.js';

/** A member's own report of its state, not sent through its proxy. */
export interface Hello {
  writable: boolean;
  /** The id of the election that made it primary; every election has a different one. */
  electionId?: string;
  secondary: boolean;
}

/** A mongod of the set, in a process that may be killed, stopped and started again on the same data. */
export interface Member {
  /** The port of mongod itself; its proxy has another one. */
  port: number;
  /** Undefined while there is no process. */
  pid(): number | undefined;
  start(): Promise<void>;
  /** Undefined where it does not answer within half a second. */
  hello(): Promise<Hello | undefined>;
  admin(command: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Resolves when the process is gone. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Kills the process if it still runs, and closes the connection that queries it. */
  stop(): Promise<void>;
}

export interface MemberOptions {
  binary: string;
  dbPath: string;
  port: number;
  logFile: string;
  setName: string;
}

const startTimeoutMs = 60_000;
const helloTimeoutMs = 500;
const commandTimeoutMs = 10_000;

export function createMember({ binary, dbPath, port, logFile, setName }: MemberOptions): Member {
  let child: ChildProcess | undefined;
  let connecting: Promise<mongo.MongoClient> | undefined;
  const runs = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  /** The driver gives a client up whose first connection fails; one that was connected once connects again. */
  function connected(): Promise<mongo.MongoClient> {
    connecting ??= mongo.MongoClient.connect(`mongodb://127.0.0.1:${port}/admin`, {
      directConnection: true,
      serverSelectionTimeoutMS: helloTimeoutMs,
      connectTimeoutMS: helloTimeoutMs,
      socketTimeoutMS: commandTimeoutMs,
      heartbeatFrequencyMS: 500,
      maxPoolSize: 4,
    }).catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    return connecting;
  }

  async function admin(command: Record<string, unknown>): Promise<Record<string, unknown>> {
    return (await connected()).db('admin').command(command);
  }

  async function hello(): Promise<Hello | undefined> {
    try {
      const told = await withTimeout(helloTimeoutMs, admin({ hello: 1 }), () => new Error('no answer'));
      const { electionId } = told;
      return {
        writable: told.isWritablePrimary === true,
        secondary: told.secondary === true,
        ...(electionId === undefined ? {} : { electionId: String(electionId) }),
      };
    } catch {
      return undefined;
    }
  }

  async function end(): Promise<void> {
    if (!runs() || child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  return {
    port,
    pid: () => (runs() ? child?.pid : undefined),
    hello,
    admin,
    async start() {
      if (runs()) throw new Error(`the member on ${port} runs already`);
      const log = openSync(logFile, 'a');
      const flags = [
        '--dbpath',
        dbPath,
        '--port',
        String(port),
        '--bind_ip',
        '127.0.0.1',
        '--replSet',
        setName,
      ];
      const small = [
        '--wiredTigerCacheSizeGB',
        '0.25',
        '--oplogSize',
        '200',
        '--setParameter',
        'diagnosticDataCollectionEnabled=false',
      ];
      // Its own prealloc of 300 MB would not fit on the small disk.
      const journal = ['--wiredTigerEngineConfigString', 'log=(file_max=20MB)'];
      child = spawn(binary, [...flags, ...small, ...journal, '--quiet'], { stdio: ['ignore', log, log] });
      closeSync(log);
      const deadline = Date.now() + startTimeoutMs;
      while ((await hello()) === undefined) {
        if (!runs())
          throw new Error(
            `the member on ${port} ended at its start with ${child.exitCode ?? child.signalCode}`,
          );
        if (Date.now() > deadline) throw new Error(`the member on ${port} does not answer`);
        await delay(100);
      }
    },
    async kill() {
      if (runs()) appendFileSync(logFile, `--- SIGKILL at ${new Date().toISOString()}\n`);
      await end();
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async stop() {
      await end();
      await (await connecting?.catch(() => undefined))?.close(true);
    },
  };
}
