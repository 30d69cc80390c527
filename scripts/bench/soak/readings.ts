import { readdir, readlink } from 'node:fs/promises';
import { mongo } from 'mongoose';

/** What the server counts of its clients. */
export interface ServerReading {
  sessions: number;
  openTransactions: number;
  connections: number;
  openCursors: number;
}

/** Reads the server's own counters, on a separate connection. */
export async function openServerReadings(uri: string) {
  const client = await mongo.MongoClient.connect(uri, { maxPoolSize: 1 });
  return {
    async read(): Promise<ServerReading> {
      const status = await client.db('admin').command({ serverStatus: 1 });
      return {
        sessions: Number(status.logicalSessionRecordCache.activeSessionsCount),
        openTransactions: Number(status.transactions.currentOpen),
        connections: Number(status.connections.current),
        openCursors: Number(status.metrics.cursor.open.total),
      };
    },
    close: () => client.close(),
  };
}

export interface FilesReading {
  sockets: number;
  others: number;
}

/** The descriptors that a process has open; none where the system has no /proc. */
export async function openFiles(pid: number): Promise<FilesReading> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  // A descriptor that was closed meanwhile has no target.
  const open = targets.filter((target) => target !== '');
  const sockets = open.filter((target) => target.startsWith('socket:')).length;
  return { sockets, others: open.length - sockets };
}
