import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between the service and a mongod, and knows when a certain command passes. */
export interface MongoProxy {
  /** The mongod's address by way of the proxy. */
  uri: string;
  /** Calls `act` once, when the next command that holds all these words is about to be passed on. */
  before(words: readonly string[], act: () => void): void;
  stop(): Promise<void>;
}

export async function startMongoProxy(uri: string): Promise<MongoProxy> {
  const address = new URL(uri);
  const target = { port: Number(address.port), host: address.hostname };
  const sockets = new Set<Socket>();
  let awaited: { words: readonly string[]; act: () => void } | undefined;

  const server = createServer((client) => {
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => {
      // Commands of this service are small and sent one at a time on a connection: each arrives whole.
      if (awaited?.words.every((word) => chunk.includes(word))) {
        const { act } = awaited;
        awaited = undefined;
        act();
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => void client.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  address.port = String((server.address() as AddressInfo).port);
  address.searchParams.delete('replicaSet');
  // Or the driver would go to the address that the replica set tells.
  address.searchParams.set('directConnection', 'true');
  return {
    uri: address.href,
    before(words, act) {
      awaited = { words, act };
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
