import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A TCP listener that knows what reached it. */
export interface Listener {
  host: string;
  port: number;
  /** Connections ever accepted, open now, and bytes ever received and sent. */
  readonly seen: { connections: number; open: number; bytesIn: number; bytesOut: number };
  close(): Promise<void>;
}

/** @param onConnection what it does with a connection; nothing, unless given: accepts, reads and stays silent */
export async function listen(
  onConnection: (socket: Socket) => void = () => {},
  host = '127.0.0.1',
): Promise<Listener> {
  const sockets = new Set<Socket>();
  const seen = { connections: 0, open: 0, bytesIn: 0, bytesOut: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    seen.connections += 1;
    seen.open += 1;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      seen.bytesIn += chunk.length;
    });
    socket.on('close', () => {
      sockets.delete(socket);
      seen.open -= 1;
      seen.bytesOut += socket.bytesWritten;
    });
    onConnection(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    host,
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Answers every request on the connection with the same bytes; `write` gets the socket once a request is in. */
export function answering(write: string | Buffer | ((socket: Socket) => void)): (socket: Socket) => void {
  return (socket) => {
    let pending = '';
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
        pending = pending.slice(end + 4);
        if (typeof write === 'function') write(socket);
        else socket.write(write);
      }
    });
  };
}
