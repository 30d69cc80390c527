import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { breakable } from '../lib/breakable.js';
import { freePort } from '../lib/loopback-server.js';

/** A mongod of a replica set, which may be broken and starts again on its data. */
export type Mongod = Awaited<ReturnType<typeof createMongod>>;

const helloTimeoutMs = 2_000;

/** Several may run on one developer's machine: the default cache of half the memory each is too much. */
const lightweight = [
  ...['--wiredTigerCacheSizeGB', '0.5'],
  ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
];

/** Not started yet. `folder`: for its data and its log. */
export async function createMongod(of: {
  binary: string;
  folder: string;
  setName: string;
  name: string;
  more?: readonly string[];
}) {
  const { binary, folder, setName, name, more = [] } = of;
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  let connecting: Promise<mongo.MongoClient> | undefined;

  /** The driver gives up a client whose first connection fails; one that was connected once connects again. */
  function connected(): Promise<mongo.MongoClient> {
    connecting ??= mongo.MongoClient.connect(`mongodb://127.0.0.1:${port}/admin`, {
      directConnection: true,
      serverSelectionTimeoutMS: helloTimeoutMs,
      connectTimeoutMS: helloTimeoutMs,
      socketTimeoutMS: 5_000,
    }).catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    return connecting;
  }

  const admin = async (command: Record<string, unknown>): Promise<mongo.Document> =>
    (await connected()).db('admin').command(command);
  const hello = () =>
    Promise.race([admin({ hello: 1 }), delay(helloTimeoutMs, undefined)]).catch(() => undefined);
  const place = ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1'];
  const own = breakable({
    name,
    folder,
    command: binary,
    args: [...place, '--replSet', setName, ...lightweight, ...more],
    isUp: async () => (await hello()) !== undefined,
  });
  return {
    ...own,
    port,
    host: `127.0.0.1:${port}`,
    admin,
    isPrimary: async () => (await hello())?.isWritablePrimary === true,
    stepDown: async () => void (await admin({ replSetStepDown: 5, force: true }).catch(() => undefined)),
    async stop(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
      await own.end(signal);
      await (await connecting?.catch(() => undefined))?.close(true);
    },
  };
}
