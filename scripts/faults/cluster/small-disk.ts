import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../../mongod/processes.js';

/** A separate file system that can be filled. */
export interface SmallDisk {
  folder: string;
  /** Uses up all free space. */
  fill(): Promise<void>;
  empty(): Promise<void>;
  stop(): Promise<void>;
}

const startTimeoutMs = 5_000;
const chunk = Buffer.alloc(1024 * 1024, 1);

/**
 * Mounts a file system in memory, in name spaces of a process that does nothing but keep them: this needs no rights,
 * and others see it through /proc. Undefined where the system does not allow it.
 */
export async function mountSmallDisk(mountPoint: string, megabytes: number): Promise<SmallDisk | undefined> {
  await mkdir(mountPoint, { recursive: true });
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "$1" && echo mounted && exec sleep infinity`;
  const keeper = spawn(
    'unshare',
    ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', mountPoint],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const ended = once(keeper, 'close').catch(() => undefined);
  const mounted = await Promise.race([
    once(keeper.stdout, 'data').then(() => true),
    ended.then(() => false),
    delay(startTimeoutMs, false, { ref: false }),
  ]);
  const { pid } = keeper;
  const stop = async () => {
    keeper.kill('SIGKILL');
    await ended;
  };
  if (!mounted || pid === undefined || !isAlive(pid)) {
    await stop();
    return undefined;
  }
  const folder = `/proc/${pid}/root${mountPoint}`;
  const filler = `${folder}/filler`;
  return {
    folder,
    async fill() {
      const file = await open(filler, 'w');
      try {
        // Writes until the system reports that no space is left.
        for (;;) await file.write(chunk);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        await file.close();
      }
    },
    empty: () => rm(filler, { force: true }),
    stop,
  };
}
