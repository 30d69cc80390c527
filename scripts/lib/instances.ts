import { type BreakableProcess, breakable } from './breakable.js';
import { productionFlags } from './compile.js';
import { isReady } from './local-service.js';
import { freePort } from './loopback-server.js';

/** A process of the service, which keeps its port. */
export interface Instance extends BreakableProcess {
  url: string;
}

/** Secret to nobody: of services that live for some minutes on loopback. */
export const credentials = {
  adminKey: 'the-admin-key-of-instances-0123456789',
  cronSecret: 'the-cron-secret-of-instances-0123456789',
} as const;

const environment = {
  PATH: process.env.PATH ?? '',
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  ADMIN_SECRET_KEY: credentials.adminKey,
  CRON_SECRET: credentials.cronSecret,
  WEBHOOK_KEY: '5e'.repeat(32),
  DRAIN_SECONDS: '0',
  // Requests may name any client they like.
  TRUST_PROXY: '127.0.0.0/8',
};

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
    const own = { OUTBOUND_ALLOW: 'http://127.0.0.1:*', PORT: port, PUBLIC_URL: url };
    const env = { ...environment, ...options.env, ...own };
    const args = [...productionFlags, program];
    const name = `instance-${number}`;
    const isUp = () => isReady(url);
    all.push({ ...breakable({ name, folder, command: process.execPath, args, env, isUp }), url });
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
