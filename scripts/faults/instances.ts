import { freePort } from '../lib/free-port.js';
import { productionFlags } from '../lib/node-flags.js';
import { isReady } from '../lib/until-ready.js';
import { type BreakableProcess, breakable } from './process.js';

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
