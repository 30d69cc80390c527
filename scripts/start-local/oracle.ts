import { join } from 'node:path';
import { type ReferenceOracle, startReferenceOracle } from '../reference-oracle/index.js';

const usualPort = 7_299;

/** The reference oracle on its usual port, or any free one; what it took is kept in the folder. */
export async function startLocalOracle(folder: string): Promise<ReferenceOracle> {
  const start = (port: number) =>
    startReferenceOracle({ clock: Date.now, port, stateFile: join(folder, 'oracle.json') });
  return start(usualPort).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return start(0);
    throw error;
  });
}
