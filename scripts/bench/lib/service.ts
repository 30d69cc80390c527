import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from './program.js';

export const benchAdminKey = 'admin-key-of-the-benches-0123456789';
export const benchCronSecret = 'cron-secret-of-the-benches-0123456789';

export interface ServiceProcess extends Program {
  /** `http://127.0.0.1:<port>` */
  url: string;
}

const readyTimeoutMs = 30_000;

/** How benches run the service unless they say otherwise; requests may name any client they like. */
export function serviceEnvironment(port: number): Record<string, string> {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_SECRET_KEY: benchAdminKey,
    CRON_SECRET: benchCronSecret,
    WEBHOOK_KEY: '5e'.repeat(32),
    TRUST_PROXY: '127.0.0.0/8',
    SCHEDULER: 'off',
    LOG_LEVEL: 'info',
  };
}

export async function serviceProcess(program: Program, port: number): Promise<ServiceProcess> {
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + readyTimeoutMs;
  while (!(await Promise.race([isReady(url), program.crashed]))) {
    if (Date.now() > deadline) throw new Error(`the service is not ready after ${readyTimeoutMs / 1000} s`);
    await sleep(50);
  }
  return { ...program, url };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    // Not listening yet.
    return false;
  }
}
