import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { TickAnswer } from '../../../contract/publisher.js';
import type { TickStep } from '../../../server/features/publisher/steps.js';
import type { LeaseOutcome } from '../../../server/mongo/leases.js';
import type { InstanceOptions } from '../../helpers/publisher-instance.js';

export interface ChildOptions {
  /** Functions do not cross the process boundary. */
  instance: Omit<InstanceOptions, 'onStep' | 'logger' | 'gatherCards'>;
  killAt?: TickStep;
  stopAt?: TickStep;
  reportSteps?: boolean;
  /** Ticks until it is killed; once where absent. */
  forever?: boolean;
  /** At random where absent. */
  entries?: number;
  points?: number;
  pauseMs?: number;
}

export type ChildReport =
  | { ready: true }
  | { step: TickStep }
  | { tick: LeaseOutcome<TickAnswer> }
  | { failed: string };

export interface Child {
  process: ChildProcess;
  /** Everything it said so far. */
  reports: ChildReport[];
  onReport(listener: (report: ChildReport) => void): void;
  /** The next report, past or to come, that has this member. */
  until(member: 'ready' | 'step' | 'tick' | 'failed'): Promise<ChildReport>;
  /** Resolves when the process is gone, with the signal that ended it. */
  gone: Promise<NodeJS.Signals | null>;
  signal(name: 'SIGKILL' | 'SIGCONT'): void;
}

/** Bundles the child once, so that it starts in a quarter of a second; inside the project, where packages are found. */
export async function buildChild(): Promise<{ program: string; remove(): void }> {
  const cache = fileURLToPath(new URL('../../../.cache/', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'publisher-child-'));
  const program = join(folder, 'child.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('./child.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: program,
    logLevel: 'error',
  });
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function startChild(program: string, options: ChildOptions, clockOffsetMs = 0): Child {
  const child = fork(program, [JSON.stringify(options)], {
    env: { ...process.env, CLOCK_OFFSET_MS: String(clockOffsetMs) },
    execArgv: [],
    serialization: 'json',
  });
  const reports: ChildReport[] = [];
  const listeners: ((report: ChildReport) => void)[] = [];
  child.on('message', (message) => {
    const report = message as ChildReport;
    reports.push(report);
    for (const listener of listeners) listener(report);
  });
  const gone = once(child, 'exit').then(([, signal]) => signal as NodeJS.Signals | null);
  return {
    process: child,
    reports,
    onReport: (listener) => listeners.push(listener),
    until: (member) =>
      new Promise((resolve, reject) => {
        const found = reports.find((report) => member in report);
        if (found !== undefined) resolve(found);
        listeners.push((report) => {
          if (member in report) resolve(report);
        });
        gone.then((signal) => reject(new Error(`the child ended (${signal}) before it reported ${member}`)));
      }),
    gone,
    signal: (name) => child.kill(name),
  };
}
