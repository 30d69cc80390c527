import { createServer, type RequestListener, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';

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

export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
