import { randomInt } from 'node:crypto';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import getPort, { portNumbers } from 'get-port';

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** Closes open connections as well. */
  stop(): Promise<void>;
}

/** Listens on 127.0.0.1; port 0 is any free one. Rejects when the port is taken. */
export async function listenOnLoopback(
  handler: RequestListener,
  { port = 0, ...options }: ServerOptions & { port?: number } = {},
): Promise<LoopbackServer> {
  const server = createServer(options, handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Below the ports that systems give out by themselves (from 32768), and above those that browsers refuse (up to 10080). */
const [lowest, highest] = [11_000, 26_999];

/**
 * A port of 127.0.0.1 that nothing listens on. Where it is listened on later, as after a restart, no connection and no
 * other server has it by then unless it asked for this very number.
 */
export function freePort(): Promise<number> {
  return getPort({ host: '127.0.0.1', port: portNumbers(randomInt(lowest, highest), highest) });
}
