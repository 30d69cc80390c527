import { Agent, request } from 'node:http';
import { clientAddresses } from '../lib/load.js';

/** Concurrent requests, each from its own client and on its own connection. */
export interface Crowd {
  /** Milliseconds until the last answer; throws unless every one is 200. */
  ask(path: string): Promise<number>;
  close(): void;
}

const timeoutMs = 20_000;

/** Opens the connections beforehand, so that only requests are timed. */
export async function openCrowd(url: string, size: number): Promise<Crowd> {
  const agent = new Agent({ keepAlive: true, maxSockets: size, maxFreeSockets: size, timeout: timeoutMs });
  const clients = clientAddresses(0x80_0000, size);

  function get(path: string, client: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const headers = { 'x-forwarded-for': client };
      const asked = request(`${url}${path}`, { agent, headers, timeout: timeoutMs }, (answer) => {
        answer.resume();
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`${path} was answered ${answer.statusCode}`));
        });
      });
      asked.once('timeout', () => asked.destroy(new Error(`${path} was not answered in ${timeoutMs} ms`)));
      asked.once('error', reject);
      asked.end();
    });
  }

  async function ask(path: string): Promise<number> {
    const startedAt = performance.now();
    await Promise.all(clients.map((client) => get(path, client)));
    return performance.now() - startedAt;
  }

  await ask('/healthz');
  return { ask, close: () => agent.destroy() };
}
