import { createServer } from 'node:net';

/** Whether this port can be listened on now. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return listenOnce(port, host).then(
    () => true,
    () => false,
  );
}

/** A port free at 127.0.0.1 now, of the system's choice. */
export function freePort(): Promise<number> {
  return listenOnce(0, '127.0.0.1');
}

function listenOnce(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}
