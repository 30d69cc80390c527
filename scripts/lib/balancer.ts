import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address for several instances, like a balancer that only considers connections. */
export interface Balancer {
  url: string;
  /** Breaks every connection; new ones are taken. */
  breakAll(): void;
  stop(): Promise<void>;
}

/**
 * With two instances, a client that reconnects mostly comes to the other one.
 * @param ports of the instances that a new connection goes to, in turn; those that refuse it are passed over
 */
export async function startBalancer(ports: () => readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;

  const server = createServer((client) => {
    turn += 1;
    const all = ports();
    const inTurn = all.map((_, index) => all[(turn + index) % all.length] ?? 0);
    keep(client);
    passOn(client, inTurn);
  });

  function passOn(client: Socket, [port, ...others]: number[]): void {
    if (port === undefined || client.destroyed) {
      client.destroy();
      return;
    }
    const instance = connect({ port, host: '127.0.0.1' });
    keep(instance);
    const refused = () => passOn(client, others);
    instance.once('error', refused);
    instance.once('connect', () => {
      instance.off('error', refused);
      client.on('close', () => instance.destroy());
      instance.on('close', () => client.destroy());
      client.pipe(instance);
      instance.pipe(client);
    });
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.setNoDelay(true);
    // Connections of a killed instance are reset; `close` follows.
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  }

  function breakAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakAll,
    async stop() {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
